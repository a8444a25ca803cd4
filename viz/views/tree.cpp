// tree: the way of one block, up to its owner and out again.

#include <fmt/format.h>

#include <set>
#include <vector>

#include "viz/block_trace.h"
#include "viz/messages.h"

namespace onceover {

namespace {

constexpr std::size_t most_nodes = 300;

/// What a rank holds of the block, from one writing to the next that has to be told apart.
struct Version {
  Rank rank;
  int number;             // in the picture
  bool has_sent = false;  // so that what comes later isn't in what it sent
};

/// Grows the graph along the trace. A rank stays one node while it only receives, and becomes another when something
/// arrives after it has sent.
class TreePicture {
 public:
  TreePicture(const Schedule& schedule, const DrawOptions& options)
      : header_(schedule.header()),
        block_(options.block),
        trace_(trace_of(schedule, block_, steps_shown(schedule, options).end)),
        steps_(steps_shown(schedule, options)),
        dot_(Dot::layered(options.style, fmt::format("{}, block {}", title_of(header_), block_))) {
    now_.resize(static_cast<std::size_t>(header_.ranks), nobody);
  }

  Drawn<std::string> draw() {
    std::size_t begin = 0;
    const auto& legs = trace_.legs();
    for (std::size_t first = 0; first < legs.size();) {
      std::size_t last = first;
      while (last + 1 < legs.size() && legs[last + 1].step == legs[first].step) ++last;
      if (legs[first].step >= steps_.first) step(first, last, begin);
      begin = legs[last].end;
      first = last + 1;
      if (versions_.size() > most_nodes)
        return unsuitable(fmt::format("tree: the way of block {} has more than {} nodes; thin it out with --steps 0..2",
                                      block_, most_nodes));
    }
    if (versions_.empty())
      return unsuitable(fmt::format("tree: nobody sends block {} in these steps; choose another with --block", block_));
    return dot_.finish();
  }

 private:
  static constexpr int nobody = -1;

  int& now(Rank rank) { return now_[static_cast<std::size_t>(rank)]; }
  Version& version(int number) { return versions_[static_cast<std::size_t>(number)]; }

  static std::string id(int number) { return fmt::format("v{}", number); }

  int add(Rank rank) {
    const int number = static_cast<int>(versions_.size());
    versions_.push_back({rank, number});
    const bool is_owner = contract(header_.collective).collective != Collective::alltoall && is_home(rank);
    dot_.node(id(number), fmt::format("{}", rank),
              {{"style", "filled"},
               {"fillcolor", std::string(is_owner ? palette::pale : palette::white)},
               {"penwidth", is_owner ? "1.2" : "0.6"}});
    return number;
  }

  /// Where the block's sum is gathered, or comes from.
  bool is_home(Rank rank) const {
    return is_rooted(header_.collective) ? rank == header_.root : rank == header_.owner(block_);
  }

  /// All hops of one step: they read before any of them writes.
  void step(std::size_t first, std::size_t last, std::size_t begin) {
    const std::size_t end = trace_.legs()[last].end;
    std::vector<int> sources;
    for (std::size_t h = begin; h < end; ++h) sources.push_back(source(trace_.hops()[h].src));
    for (const int from : sources) version(from).has_sent = true;
    std::set<int> fresh;
    std::size_t h = begin;
    for (std::size_t leg = first; leg <= last; ++leg)
      for (; h < trace_.legs()[leg].end; ++h) {
        const auto& at = trace_.legs()[leg];
        const int to = target(trace_.hops()[h].dst, at.op, fresh);
        dot_.edge(id(sources[h - begin]), id(to), fmt::format(" {}", at.step), stroke_of(0, at.op));
      }
  }

  int source(Rank rank) {
    if (now(rank) == nobody) now(rank) = add(rank);
    return now(rank);
  }

  /// Where what arrives is shown: the rank's node, or a new one if it has sent what it had, or loses it.
  int target(Rank rank, Op op, std::set<int>& fresh) {
    const int before = now(rank);
    const bool stays = before != nobody && (fresh.count(before) > 0 || (op == Op::reduce && !version(before).has_sent));
    if (stays) return before;
    now(rank) = add(rank);
    fresh.insert(now(rank));
    if (before != nobody && op == Op::reduce)
      dot_.edge(id(before), id(now(rank)), "", {palette::grey, "dotted", 0.8, "none"});
    return now(rank);
  }

  const Header& header_;
  Block block_;
  Trace trace_;
  StepRange steps_;
  Dot dot_;
  std::vector<Version> versions_;
  std::vector<int> now_;  // by rank
};

Drawn<std::string> draw_tree(const Schedule& schedule, const DrawOptions& options) {
  return TreePicture(schedule, options).draw();
}

}  // namespace

const View tree_view{
    .name = "tree",
    .summary = "the way of one block: the tree into its owner, and out again, steps at the edges",
    .heeds = "--block --steps",
    .draw = draw_tree,
};

}  // namespace onceover
