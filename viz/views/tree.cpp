// tree: the path of one block, up to its owner and out again.
//
// A node is what a rank holds of the block. While the rank only receives, it is one node. What arrives after it has
// sent makes another node, because it isn't in what the rank sent. A dotted line joins the two if the new value
// contains the old one. Without such lines everything is shown; with them, only what leads to the owner's last node.
// --ranks asks for what leads to those ranks instead.
//
// Example: block 0 of a ring allreduce of 3 ranks has five nodes in a row: 1, 2 and 0 add up, then 1 and 2 get the
// result. They have sent before, so each has a second node.
//
// A pass over the block's moves makes the nodes, and one backwards finds those to show: O(moves log moves). More than
// 300 nodes are refused.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rows.h"
#include "viz/block_trace.h"
#include "viz/ink/graph.h"
#include "viz/key.h"
#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr int most_nodes = 300;
constexpr double node_radius = 7.5;

/// A node: what a rank holds of the block, as long as it needn't be distinguished from what the rank held before.
struct Version {
  Rank rank;              // or cell, like every rank in the paths (see Trace)
  bool has_sent = false;  // then what comes later isn't in what it sent
  bool is_shown = false;
};

struct Edge {
  int from;  // positions of versions
  int to;
  int step;
  Op op;
  bool stays;  // a value that stays on its rank, to be joined there
};

/// The paths of a block. A rank stays one node while it only receives, and becomes another when something arrives after
/// it has sent. Edges are in the order of the steps.
class PathGraph {
 public:
  PathGraph(const Header& header, const Trace& trace, StepRange steps) {
    now_.resize(trace.slot_count() * static_cast<std::size_t>(header.ranks), nobody);
    std::vector<StepMove> of_step;
    trace.for_each_move([&](int step, Op op, BlockTransfer move) {
      if (step < steps.first) return;
      if (!of_step.empty() && of_step.front().step != step) end_step(of_step);
      of_step.push_back({step, op, move});
    });
    end_step(of_step);
  }

  const std::vector<Version>& versions() const { return versions_; }
  const std::vector<Edge>& edges() const { return edges_; }

  /// Does each rank add up first and then send?
  bool is_tree() const {
    return std::none_of(edges_.begin(), edges_.end(), [](const Edge& edge) { return edge.stays; });
  }

  void show_all() {
    for (Version& version : versions_) version.is_shown = true;
  }

  /// Shows what leads to these ranks' last nodes.
  void show_into(const std::vector<Rank>& ranks) {
    for (const Rank rank : ranks)
      if (now(rank) != nobody) version(now(rank)).is_shown = true;
    for (auto edge = edges_.rbegin(); edge != edges_.rend(); ++edge)
      if (version(edge->to).is_shown) version(edge->from).is_shown = true;
  }

 private:
  static constexpr int nobody = -1;

  struct StepMove {
    int step;
    Op op;
    BlockTransfer move;
  };

  int& now(Rank rank) { return now_[static_cast<std::size_t>(rank)]; }
  Version& version(int number) { return versions_[static_cast<std::size_t>(number)]; }

  int add(Rank rank) {
    versions_.push_back({rank});
    return static_cast<int>(versions_.size()) - 1;
  }

  /// Adds all moves of one step: they all read before any of them writes.
  void end_step(std::vector<StepMove>& moves) {
    const auto sources = mapped(moves, [&](const StepMove& each) { return source(each.move.src); });
    for (const int from : sources) version(from).has_sent = true;
    std::set<int> fresh;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const auto& [step, op, move] = moves[k];
      edges_.push_back({sources[k], target(move.dst, step, op, fresh), step, op, false});
    }
    moves.clear();
  }

  int source(Rank rank) {
    if (now(rank) == nobody) now(rank) = add(rank);
    return now(rank);
  }

  /// The node where an arriving value is shown: the rank's node, or a new one if the rank has sent its value or loses
  /// it.
  int target(Rank rank, int step, Op op, std::set<int>& fresh) {
    const int before = now(rank);
    const bool stays = before != nobody && (fresh.contains(before) || (op == Op::reduce && !version(before).has_sent));
    if (stays) return before;
    now(rank) = add(rank);
    fresh.insert(now(rank));
    if (before != nobody && op == Op::reduce) edges_.push_back({before, now(rank), step, op, true});
    return now(rank);
  }

  std::vector<Version> versions_;
  std::vector<Edge> edges_;
  std::vector<int> now_;  // by rank
};

/// The rank where the block's sum is gathered, or starts.
Rank home(const Header& header, Block block) {
  return is_rooted(header.collective) ? header.root : header.owner(block);
}

RankLabels labels_of(const Header& header) {
  return {header.names, node_radius};
}

/// "3"; in the block's scratch "3'", or if it has several scratch blocks "3'2".
std::string label_of(const Header& header, Rank cell) {
  const Rank slot = cell / header.ranks;
  return fmt::format("{}{}{}", labels_of(header)(cell % header.ranks), slot > 0 ? "'" : "",
                     slot > 1 ? fmt::format("{}", slot) : "");
}

/// Draws the paths of one block.
class Tree {
 public:
  Tree(const Header& header, Block block, PathGraph paths) : header_(header), block_(block), paths_(std::move(paths)) {}

  std::ptrdiff_t size() const {
    const auto& versions = paths_.versions();
    return std::count_if(versions.begin(), versions.end(), [](const Version& v) { return v.is_shown; });
  }

  bool is_tree() const { return paths_.is_tree(); }

  void draw(Graph& graph) const {
    const auto& versions = paths_.versions();
    for (std::size_t k = 0; k < versions.size(); ++k)
      if (versions[k].is_shown) graph.add(node(static_cast<int>(k)));
    for (const Edge& edge : paths_.edges()) {
      if (!versions[static_cast<std::size_t>(edge.to)].is_shown) continue;
      const Stroke stroke = edge.stays ? Stroke{palette::grey, "dotted", 0.8, "none"} : stroke_of(0, edge.op);
      graph.add({.from = id(edge.from),
                 .to = id(edge.to),
                 .label = edge.stays ? "" : fmt::format(" {}", edge.step),
                 .stroke = stroke,
                 .has_head = !edge.stays,
                 .role = Role::message});
    }
  }

 private:
  Graph::Node node(int version) const {
    const Rank rank = paths_.versions()[static_cast<std::size_t>(version)].rank;
    const bool is_home = rank == home(header_, block_);
    return {.id = id(version),
            .label = label_of(header_, rank),
            .radius = node_radius,
            .border = {.width = is_home ? 1.2 : 0.6},
            .fill = is_home ? palette::pale : palette::white,
            .role = Role::rank};
  }

  std::string id(int version) const { return fmt::format("b{}v{}", block_, version); }

  const Header& header_;
  Block block_;
  PathGraph paths_;
};

Drawn<Tree> tree_of(const Schedule& schedule, Block block, const DrawOptions& options) {
  const Header& header = schedule.header();
  const StepRange steps = steps_shown(schedule, options);
  BlockTrace trace(schedule, block);
  PathGraph paths(header, trace.before(steps.end), steps);
  if (paths.versions().empty())
    return unsuitable(fmt::format("tree: nobody sends block {} in these steps; choose another with --blocks", block));
  if (paths.is_tree() && options.ranks.empty())
    paths.show_all();
  else
    paths.show_into(options.ranks.empty() ? std::vector{home(header, block)} : options.ranks);
  return Tree(header, block, std::move(paths));
}

Drawn<Picture> draw_tree(const Schedule& schedule, const DrawOptions& options) {
  Graph graph(options.style, title_of(schedule.header()) + ", way of a block");
  std::ptrdiff_t nodes = 0;
  bool has_joins = false;
  for (const Block block : options.blocks) {
    const auto tree = TRY(tree_of(schedule, block, options));
    nodes += tree.size();
    if (nodes > most_nodes)
      return too_large(fmt::format("the way of block {} needs more than {} nodes", block, most_nodes));
    if (options.blocks.size() > 1) graph.begin_cluster(fmt::format("block {}", block));
    tree.draw(graph);
    has_joins = has_joins || !tree.is_tree();
    if (options.blocks.size() > 1) graph.end_cluster();
  }
  graph.caption(
      words_of({"Numbers at lines are steps; a filled head reduces, an open one copies.",
                is_rooted(schedule.header().collective) ? "Grey: the block's root." : "Grey: the block's owner.",
                has_joins ? "Dotted: what a rank keeps." : "", labels_of(schedule.header()).explanation()}));
  return std::move(graph).picture();
}

}  // namespace

const View tree_view{
    .name = "tree",
    .summary = "the way of one block: the tree into its owner and out again, steps at the edges",
    .heeds = "--blocks --ranks --steps",
    .draw = draw_tree,
};

}  // namespace onceover::viz
