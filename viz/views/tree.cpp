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
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "base/rows.h"
#include "viz/block_trace.h"
#include "viz/folded_tree.h"
#include "viz/ink/graph.h"
#include "viz/key.h"
#include "viz/messages.h"
#include "viz/rank_row.h"

namespace onceover::viz {

namespace {

constexpr int most_nodes = 300;
constexpr double node_radius = 7.5;
constexpr Stroke kept{palette::grey, "dotted", 0.8, "none"};

/// A node: what a rank holds of the block, as long as it needn't be distinguished from what the rank held before.
struct Version {
  Rank rank;              // or cell, like every rank in the paths (see Trace)
  bool has_sent = false;  // then what comes later isn't in what it sent
  bool is_shown = false;
};

struct PathEdge {
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
  const std::vector<PathEdge>& edges() const { return edges_; }

  /// Does each rank add up first and then send?
  bool is_tree() const {
    return std::none_of(edges_.begin(), edges_.end(), [](const PathEdge& edge) { return edge.stays; });
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
  std::vector<PathEdge> edges_;
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

  /// Does a rank get something that isn't shown?
  bool leaves_out() const { return size() < static_cast<std::ptrdiff_t>(paths_.versions().size()); }

  /// Is a rank shown twice?
  bool has_twice() const {
    std::set<Rank> ranks;
    for (const Version& version : paths_.versions())
      if (version.is_shown && !ranks.insert(version.rank).second) return true;
    return false;
  }

  /// Draws branches that are alike once; returns what that means.
  Drawn<std::string> draw_folded(Graph& graph) const {
    std::vector<TreeMove> moves;
    for (const PathEdge& edge : paths_.edges())
      if (paths_.versions()[static_cast<std::size_t>(edge.to)].is_shown)
        moves.push_back({edge.from, edge.to, edge.step, edge.op, edge.stays});
    const int versions = static_cast<int>(paths_.versions().size());
    const FoldedTree in = TRY(folded_tree(moves, versions, Op::reduce));
    FoldedTree out = TRY(folded_tree(moves, versions, Op::copy));
    if (!in.nodes.empty() && !out.nodes.empty() && in.nodes.front().node != out.nodes.front().node)
      return too_large("what goes out doesn't come from where all is added up");
    if (in.nodes.empty() && out.nodes.empty()) return too_large("nothing leads to the block's owner");
    std::string backwards;
    if (are_mirrored(in, out)) {
      const auto [first, last] = std::minmax_element(out.nodes.begin() + 1, out.nodes.end(), by_step);
      backwards =
          fmt::format("Steps {} to {}: the same backwards, with arrows turned, as copies.", first->step, last->step);
      out.nodes.clear();
    }
    graph.add(node(in.nodes.empty() ? out.nodes.front() : in.nodes.front()));
    draw_half(graph, in, Op::reduce);
    draw_half(graph, out, Op::copy);
    const auto has_any = [&](FoldedTree::Node::Kind kind) { return in.has_any(kind) || out.has_any(kind); };
    return words_of({backwards,
                     !has_any(FoldedTree::Node::Kind::stub) ? ""
                     : in.do_steps_tell() && out.do_steps_tell()
                         ? "Dashed: a rank with the same branch as the solid one that is joined at that step."
                         : "Dashed: a rank with the same branch as the solid one that its line names.",
                     has_any(FoldedTree::Node::Kind::dots)
                         ? "Dots: ranks in between, with branches like those of the one before."
                         : ""});
  }

  void draw(Graph& graph) const {
    const auto& versions = paths_.versions();
    for (std::size_t k = 0; k < versions.size(); ++k)
      if (versions[k].is_shown) graph.add(node(static_cast<int>(k)));
    for (const auto& [edge, steps] : lines()) {
      const Stroke stroke = edge.stays ? kept : stroke_of(0, edge.op);
      graph.add({.from = id(edge.from),
                 .to = id(edge.to),
                 .label = edge.stays ? "" : fmt::format(" {}", fmt::join(steps, ", ")),
                 .stroke = stroke,
                 .has_head = !edge.stays,
                 .role = Role::message});
    }
  }

 private:
  /// The edges that are shown. Those that join the same nodes in the same way are one line with several steps.
  std::vector<std::pair<PathEdge, std::vector<int>>> lines() const {
    std::vector<std::pair<PathEdge, std::vector<int>>> lines;
    std::map<std::tuple<int, int, Op, bool>, std::size_t> known;
    for (const PathEdge& edge : paths_.edges()) {
      if (!paths_.versions()[static_cast<std::size_t>(edge.to)].is_shown) continue;
      const auto [at, is_new] = known.try_emplace({edge.from, edge.to, edge.op, edge.stays}, lines.size());
      if (is_new) lines.push_back({edge, {}});
      lines[at->second].second.push_back(edge.step);
    }
    return lines;
  }

  static bool by_step(const FoldedTree::Node& a, const FoldedTree::Node& b) { return a.step < b.step; }

  Rank rank_of(const FoldedTree::Node& node) const {
    return paths_.versions()[static_cast<std::size_t>(node.node)].rank;
  }

  /// Does the block go out as it came in, by the same ranks backwards?
  bool are_mirrored(const FoldedTree& in, const FoldedTree& out) const {
    if (in.nodes.size() < 2 || in.nodes.size() != out.nodes.size()) return false;
    const int steps = in.nodes[1].step + out.nodes[1].step;
    return std::equal(in.nodes.begin() + 1, in.nodes.end(), out.nodes.begin() + 1,
                      [&](const FoldedTree::Node& a, const FoldedTree::Node& b) {
                        return rank_of(a) == rank_of(b) && a.step + b.step == steps && a.kind == b.kind &&
                               a.parent == b.parent && a.like == b.like && a.count == b.count &&
                               a.step_after == -b.step_after && !a.stays;
                      });
  }

  void draw_half(Graph& graph, const FoldedTree& half, Op op) const {
    for (const int child : side_by_side(half)) {
      const FoldedTree::Node& each = half.nodes[static_cast<std::size_t>(child)];
      graph.add(node(each));
      graph.add(edge(each, half, op));
    }
  }

  /// All but the root, as Graphviz is to have them from left to right: the largest branch in the middle, so that the
  /// tree grows upward.
  static std::vector<int> side_by_side(const FoldedTree& half) {
    std::vector<std::vector<int>> children(half.nodes.size());
    for (std::size_t k = 1; k < half.nodes.size(); ++k)
      children[static_cast<std::size_t>(half.nodes[k].parent)].push_back(static_cast<int>(k));
    std::vector<int> all;
    for (auto& siblings : children) {
      if (siblings.size() > 2)
        std::rotate(siblings.begin(), siblings.begin() + 1, siblings.begin() + 1 + std::ssize(siblings) / 2);
      all.insert(all.end(), siblings.begin(), siblings.end());
    }
    return all;
  }

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

  Graph::Node node(const FoldedTree::Node& folded) const {
    Graph::Node drawn = node(folded.node);
    if (folded.kind == FoldedTree::Node::Kind::stub) drawn.border.dash = "dashed";
    if (folded.kind == FoldedTree::Node::Kind::dots) {
      drawn.outline = Graph::Node::Outline::none;
      drawn.label = fmt::format(".. {} ranks ..", folded.count);
    }
    return drawn;
  }

  /// Of a folded tree, from the node to its parent, or back where it copies.
  Graph::Edge edge(const FoldedTree::Node& child, const FoldedTree& half, Op op) const {
    const auto node_of = [&](int drawn) { return half.nodes[static_cast<std::size_t>(drawn)].node; };
    const std::string of_child = id(child.node), of_parent = id(node_of(child.parent));
    std::string label = fmt::format(" {}", child.step);
    if (child.kind == FoldedTree::Node::Kind::stub && !half.do_steps_tell())
      label += " as " + label_of(header_, rank_of(half.nodes[static_cast<std::size_t>(child.like)]));
    return {.from = op == Op::reduce ? of_child : of_parent,
            .to = op == Op::reduce ? of_parent : of_child,
            .label = std::move(label),
            .stroke = child.stays ? kept : stroke_of(0, op),
            .has_head = !child.stays,
            .role = Role::message};
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
  if (options.transposes) graph.turn();
  std::ptrdiff_t nodes = 0;
  bool has_joins = false, has_twice = false, leaves_out = false;
  const bool is_folded = options.fold == Fold::always;
  std::string folded;
  for (const Block block : options.blocks) {
    const auto tree = TRY(tree_of(schedule, block, options));
    if (!is_folded) nodes += tree.size();
    if (nodes > most_nodes)
      return too_large(fmt::format("the way of block {} needs more than {} nodes", block, most_nodes));
    if (options.blocks.size() > 1) graph.begin_cluster(fmt::format("block {}", block));
    if (!is_folded)
      tree.draw(graph);
    else if (const auto words = TRY(tree.draw_folded(graph)); folded.find(words) == std::string::npos)
      folded = words_of({folded, words});
    has_joins = has_joins || !tree.is_tree();
    leaves_out = leaves_out || tree.leaves_out();
    has_twice = has_twice || (!is_folded && tree.has_twice());
    if (options.blocks.size() > 1) graph.end_cluster();
  }
  graph.caption(
      words_of({"Numbers at lines are steps; a filled head reduces, an open one copies.",
                is_rooted(schedule.header().collective) ? "Grey: the block's root." : "Grey: the block's owner.",
                has_joins ? "Dotted: what a rank keeps." : "",
                !leaves_out             ? ""
                : options.ranks.empty() ? "Only what leads to it is drawn."
                                        : "Only what leads to the ranks asked for is drawn.",
                has_twice ? "A rank that gets the block again has another circle." : "", folded,
                labels_of(schedule.header()).explanation()}));
  return std::move(graph).picture();
}

}  // namespace

const View tree_view{
    .name = "tree",
    .summary = "the way of one block: the tree into its owner and out again, steps at the edges",
    .heeds = "--blocks --ranks --steps --transpose --fold --no-fold",
    .draw = draw_tree,
};

}  // namespace onceover::viz
