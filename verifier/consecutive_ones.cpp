// Finds an order of things in which each of several sets is one run, or sets that have no such order.
//
// A PQ-tree holds all orders that the sets so far allow. A further set changes it below the lowest node that contains
// the whole set. There the full children must be neighbours, a partly full child may stand at either end of them with
// its full side inwards, and what must stay in one order becomes a Q-node. If the set needs more than that, no order is
// left.
//
// Example: {0,1} and {1,2} of 0..3 make P(3, Q(0, 1, 2)): 1 is between 0 and 2, and 3 at either end. After that, {0,2}
// can't be a run.
//
// A conflict is made small by leaving out one set after the other: a set stays out if there is still no order without
// it. So every set that remains is necessary.
//
// Each set goes down the tree once, and an inner node has at least two children: O(n) for n things. Making a conflict
// small builds up to as many trees as there are sets.

#include "verifier/consecutive_ones.h"

#include <algorithm>
#include <numeric>

namespace onceover::verifier {

namespace {

/// All orders in which the sets given so far are runs. The leaves are the things. The children of a P-node may stand in
/// any order, those of a Q-node in theirs or its mirror image. The leaves, read from left to right, give the orders.
class PqTree {
 public:
  explicit PqTree(Block n) : nodes_(static_cast<std::size_t>(n)) {
    std::vector<int> leaves(static_cast<std::size_t>(n));
    std::iota(leaves.begin(), leaves.end(), 0);
    root_ = grouped(leaves);
  }

  /// Keeps only the orders in which the set is a run. False if there is none; don't use the tree after that.
  bool reduce(const ThingSet& set) {
    if (set.size() < 2) return true;
    for (Node& node : nodes_) node.full = node.leaves = 0;
    for (const Block thing : set) nodes_[static_cast<std::size_t>(thing)].full = 1;
    count(root_);
    return make_run(root_);
  }

  std::vector<Block> order() const {
    std::vector<Block> order;
    read(root_, order);
    return order;
  }

 private:
  enum class Kind { leaf, p, q };
  enum class Fill { empty, partly, full };

  struct Node {
    Kind kind = Kind::leaf;
    std::vector<int> children = {};
    int leaves = 0;  // leaves below it, or itself
    int full = 0;    // how many of them are in the set
  };

  Node& node(int n) { return nodes_[static_cast<std::size_t>(n)]; }
  const Node& node(int n) const { return nodes_[static_cast<std::size_t>(n)]; }

  Fill fill(int n) const {
    return node(n).full == 0 ? Fill::empty : node(n).full == node(n).leaves ? Fill::full : Fill::partly;
  }

  void count(int n) {
    if (node(n).kind == Kind::leaf) {
      node(n).leaves = 1;
      return;
    }
    for (const int child : node(n).children) {
      count(child);
      node(n).leaves += node(child).leaves;
      node(n).full += node(child).full;
    }
  }

  int add(Kind kind, std::vector<int> children) {
    Node fresh{kind, std::move(children)};
    for (const int child : fresh.children) {
      fresh.leaves += node(child).leaves;
      fresh.full += node(child).full;
    }
    if (free_.empty()) {
      nodes_.push_back(std::move(fresh));
      return static_cast<int>(nodes_.size()) - 1;
    }
    const int reused = free_.back();
    free_.pop_back();
    node(reused) = std::move(fresh);
    return reused;
  }

  /// One node for these nodes in any order.
  int grouped(std::vector<int> members) {
    return members.size() == 1 ? members.front() : add(Kind::p, std::move(members));
  }

  std::vector<int> children_that_are(int n, Fill wanted) const {
    std::vector<int> chosen;
    for (const int child : node(n).children)
      if (fill(child) == wanted) chosen.push_back(child);
    return chosen;
  }

  /// Makes the set, all of which lies below n, a run.
  bool make_run(int n) {
    if (fill(n) == Fill::full) return true;
    for (const int child : node(n).children)
      if (node(child).full == node(n).full) return make_run(child);
    return node(n).kind == Kind::p ? make_run_in_p(n) : make_run_in_q(n);
  }

  bool make_run_in_p(int n) {
    const std::vector<int> partly = children_that_are(n, Fill::partly);
    if (partly.size() > 2) return false;
    const std::vector<int> full = children_that_are(n, Fill::full);
    std::vector<int> children = children_that_are(n, Fill::empty);
    std::vector<int> middle;
    if (!partly.empty() && !append_rising(partly[0], middle)) return false;
    if (!full.empty()) middle.push_back(grouped(full));
    if (partly.size() == 2 && !append_falling(partly[1], middle)) return false;
    if (children.empty()) return become(n, Kind::q, std::move(middle));
    children.push_back(middle.size() == 1 ? middle.front() : add(Kind::q, std::move(middle)));
    return become(n, Kind::p, std::move(children));
  }

  /// From left to right the children must be: empty, at most one partly full, full, at most one partly full, empty.
  bool make_run_in_q(int n) {
    const std::vector<int> children = node(n).children;
    std::vector<int> result;
    bool begun = false;
    bool ended = false;
    for (const int child : children) {
      const Fill f = fill(child);
      if (ended && f != Fill::empty) return false;
      if (f == Fill::partly) {
        if (!(begun ? append_falling(child, result) : append_rising(child, result))) return false;
        ended = begun;
      } else {
        result.push_back(child);
        ended = begun && f == Fill::empty;
      }
      begun = begun || f != Fill::empty;
    }
    return become(n, Kind::q, std::move(result));
  }

  /// Appends the tree below n as a sequence, its empty part first and its full part last; false if that is impossible.
  bool append_rising(int n, std::vector<int>& sequence) {
    if (fill(n) != Fill::partly) {
      sequence.push_back(n);
      return true;
    }
    free_.push_back(n);
    const bool is_sequence = node(n).kind == Kind::q;
    std::vector<int> children = node(n).children;
    if (is_sequence) {
      if (fill(children.front()) == Fill::full || fill(children.back()) == Fill::empty)
        std::reverse(children.begin(), children.end());
      int seen = 0;  // 0: only empty ones, 1: a partly full one, 2: full ones
      for (const int child : children) {
        const int level = static_cast<int>(fill(child));
        if (level < seen || (level == 1 && seen == 1)) return false;
        seen = level;
        if (!append_rising(child, sequence)) return false;
      }
      return true;
    }
    const std::vector<int> empty = children_that_are(n, Fill::empty);
    const std::vector<int> partly = children_that_are(n, Fill::partly);
    const std::vector<int> full = children_that_are(n, Fill::full);
    if (partly.size() > 1) return false;
    if (!empty.empty()) sequence.push_back(grouped(empty));
    if (!partly.empty() && !append_rising(partly.front(), sequence)) return false;
    if (!full.empty()) sequence.push_back(grouped(full));
    return true;
  }

  bool append_falling(int n, std::vector<int>& sequence) {
    std::vector<int> rising;
    if (!append_rising(n, rising)) return false;
    sequence.insert(sequence.end(), rising.rbegin(), rising.rend());
    return true;
  }

  bool become(int n, Kind kind, std::vector<int> children) {
    node(n).kind = kind;
    node(n).children = std::move(children);
    return true;
  }

  void read(int n, std::vector<Block>& order) const {
    if (node(n).kind == Kind::leaf) order.push_back(static_cast<Block>(n));
    for (const int child : node(n).children) read(child, order);
  }

  std::vector<Node> nodes_;  // the first n are the leaves
  std::vector<int> free_;    // nodes to reuse
  int root_ = 0;
};

/// How many sets there are up to and including the first that leaves no order; 0 if there is an order for all.
std::size_t conflicting_prefix(Block n, const std::vector<ThingSet>& sets) {
  PqTree tree(n);
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (!tree.reduce(sets[k])) return k + 1;
  return 0;
}

}  // namespace

std::optional<std::vector<Block>> consecutive_order(Block n, const std::vector<ThingSet>& sets) {
  PqTree tree(n);
  for (const ThingSet& set : sets)
    if (!tree.reduce(set)) return std::nullopt;
  return tree.order();
}

std::vector<ThingSet> smallest_conflict(Block n, const std::vector<ThingSet>& sets) {
  std::vector<ThingSet> conflict = sets;
  conflict.resize(conflicting_prefix(n, sets));
  for (std::size_t k = conflict.size(); k-- > 0;) {
    std::vector<ThingSet> without = conflict;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(k));
    if (conflicting_prefix(n, without) > 0) conflict = std::move(without);
  }
  return conflict;
}

bool is_run(const ThingSet& set, const std::vector<Block>& position) {
  if (set.empty()) return true;
  Block least = position[static_cast<std::size_t>(set.front())];
  Block most = least;
  for (const Block thing : set) {
    least = std::min(least, position[static_cast<std::size_t>(thing)]);
    most = std::max(most, position[static_cast<std::size_t>(thing)]);
  }
  return most - least + 1 == static_cast<Block>(set.size());
}

}  // namespace onceover::verifier
