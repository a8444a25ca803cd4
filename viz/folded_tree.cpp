#include "viz/folded_tree.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace onceover::viz {

namespace {

using Kind = FoldedTree::Node::Kind;

/// Branches of a node: the step of each, whether its value stays there, and its kind.
using Shape = std::vector<std::tuple<int, bool, int>>;

/// Below each node its branches, and which of these are alike.
class Branches {
 public:
  struct Child {
    int step;
    bool stays;
    int node;
  };

  /// Nothing if a node has two ways to the root.
  static std::optional<Branches> of(const std::vector<TreeMove>& moves, int nodes, Op op) {
    Branches branches(nodes);
    std::vector<bool> has_parent(static_cast<std::size_t>(nodes), false);
    const auto add = [&](const TreeMove& m, int parent, int child) {
      // What comes to a node after its own move isn't in its branch.
      if (has_parent[static_cast<std::size_t>(child)] || has_parent[static_cast<std::size_t>(parent)]) return false;
      has_parent[static_cast<std::size_t>(child)] = true;
      branches.finish(child);
      branches.children_[static_cast<std::size_t>(parent)].push_back({m.step, m.stays, child});
      branches.size_[static_cast<std::size_t>(parent)] += branches.size(child);
      return true;
    };
    // A branch is complete before its root sends, or, backwards in time, before it receives.
    bool is_tree = true;
    if (op == Op::reduce) {
      for (const TreeMove& m : moves) is_tree = is_tree && (m.op != op || add(m, m.to, m.from));
    } else {
      for (auto m = moves.rbegin(); m != moves.rend(); ++m)
        is_tree = is_tree && (m->op != op || add(*m, m->from, m->to));
    }
    if (!is_tree) return std::nullopt;
    for (int node = 0; node < nodes; ++node) {
      if (has_parent[static_cast<std::size_t>(node)] || branches.is_leaf(node)) continue;
      branches.finish(node);
      branches.roots_.push_back(node);
    }
    return branches;
  }

  const std::vector<int>& roots() const { return roots_; }

  int kind(int node) const { return kind_[static_cast<std::size_t>(node)]; }
  int size(int node) const { return size_[static_cast<std::size_t>(node)]; }
  bool is_leaf(int node) const { return children(node).empty(); }

  /// The largest branch first.
  const std::vector<Child>& children(int node) const { return children_[static_cast<std::size_t>(node)]; }

 private:
  explicit Branches(int nodes)
      : children_(static_cast<std::size_t>(nodes)), size_(children_.size(), 1), kind_(children_.size(), 0) {}

  void finish(int node) {
    auto& children = children_[static_cast<std::size_t>(node)];
    std::stable_sort(children.begin(), children.end(),
                     [&](const Child& a, const Child& b) { return size(a.node) > size(b.node); });
    Shape shape;
    for (const Child& child : children) shape.push_back({child.step, child.stays, kind(child.node)});
    std::sort(shape.begin(), shape.end());
    kind_[static_cast<std::size_t>(node)] =
        kinds_.emplace(std::move(shape), static_cast<int>(kinds_.size())).first->second;
  }

  std::vector<std::vector<Child>> children_;
  std::vector<int> size_;  // of the branch
  std::vector<int> kind_;  // branches are alike if they are of the same kind
  std::map<Shape, int> kinds_;
  std::vector<int> roots_;
};

class Folder {
 public:
  explicit Folder(const Branches& branches) : branches_(branches) {}

  FoldedTree fold(int root) && {
    std::vector<Waiting> waiting{{root, -1, 0, false}};
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      if (const auto like = full_.find(branches_.kind(next.node)); like != full_.end()) {
        folded_.nodes.push_back({Kind::stub, next.node, next.parent, next.step, next.stays, like->second});
        continue;
      }
      const Waiting end = next.parent < 0 ? next : along_chain(next);
      const int place = static_cast<int>(folded_.nodes.size());
      folded_.nodes.push_back({Kind::full, end.node, end.parent, end.step, end.stays});
      const auto& children = branches_.children(end.node);
      if (!children.empty()) full_[branches_.kind(end.node)] = place;
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        waiting.push_back({child->node, place, child->step, child->stays});
    }
    return std::move(folded_);
  }

 private:
  struct Waiting {
    int node;
    int parent;  // of the drawn ones
    int step;
    bool stays;
  };

  /// What a node has besides its largest branch.
  Shape beside_largest(int node) const {
    Shape others;
    const auto& children = branches_.children(node);
    for (std::size_t k = 1; k < children.size(); ++k)
      others.push_back({children[k].step, children[k].stays, branches_.kind(children[k].node)});
    std::sort(others.begin(), others.end());
    return others;
  }

  /// Follows a chain from a node whose parent is drawn: adds dots, and returns the last node, to be drawn below them.
  /// In a chain, every node has besides its largest branch what the node before it has, and steps are equally far
  /// apart.
  Waiting along_chain(const Waiting& first) {
    const FoldedTree::Node& above = folded_.nodes[static_cast<std::size_t>(first.parent)];
    if (above.kind != Kind::full || above.parent < 0) return first;
    const auto beside = beside_largest(above.node);
    const int step_after = first.step - above.step;
    if (branches_.children(above.node).front().node != first.node) return first;
    Waiting at = first;
    int count = 0;
    while (!branches_.is_leaf(at.node) && beside_largest(at.node) == beside) {
      const Branches::Child& next = branches_.children(at.node).front();
      if (next.step - at.step != step_after || next.stays != first.stays) break;
      at = {next.node, first.parent, next.step, next.stays};
      ++count;
    }
    if (count < least_left_out) return first;
    folded_.nodes.push_back({Kind::dots, first.node, first.parent, first.step, first.stays, -1, count, step_after});
    at.parent = static_cast<int>(folded_.nodes.size()) - 1;
    return at;
  }

  static constexpr int least_left_out = 3;

  const Branches& branches_;
  FoldedTree folded_;
  std::map<int, int> full_;  // drawn, by kind
};

}  // namespace

bool FoldedTree::do_steps_tell() const {
  std::map<int, int> like_of_step;
  const auto is_one = [&](int step, int like) { return like_of_step.emplace(step, like).first->second == like; };
  std::vector<bool> has_branch(nodes.size(), false);
  for (const Node& node : nodes)
    if (node.parent >= 0) has_branch[static_cast<std::size_t>(node.parent)] = true;
  bool all = true;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].kind == Kind::stub) all = all && is_one(nodes[k].step, nodes[k].like);
    if (nodes[k].kind == Kind::full && has_branch[k] && k > 0) all = all && is_one(nodes[k].step, static_cast<int>(k));
  }
  return all;
}

Drawn<FoldedTree> folded_tree(const std::vector<TreeMove>& moves, int nodes, Op op) {
  const auto branches = Branches::of(moves, nodes, op);
  if (!branches) return too_large("a rank whose value goes two ways, or comes late, has no place in a folded tree");
  if (branches->roots().empty()) return FoldedTree{};
  if (branches->roots().size() > 1) return too_large("a folded tree has one root");
  return Folder(*branches).fold(branches->roots().front());
}

}  // namespace onceover::viz
