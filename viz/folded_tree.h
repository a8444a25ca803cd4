// A block's tree, folded: branches that are alike are drawn once, and of a chain the ends.
//
// The branch of a rank is what comes to it, or what goes out from it. Two branches are alike if the same steps lead to
// branches that are alike; the ranks may be others. That is compared to the leaves: nothing is assumed.
//
// Example: in a binomial tree of 8, the root gets the branches of 4, 2 and 1 ranks at the steps 2, 1 and 0. That of 4
// has a branch of 2 and one of 1 in it, at the same steps. So 4 ranks are drawn in full, and two more as stubs.
#pragma once

#include <algorithm>
#include <vector>

#include "viz/drawn.h"
#include "viz/messages.h"

namespace onceover::viz {

/// A move of the tree: between two of its nodes. A value that stays on its rank makes a node of it, too.
struct TreeMove {
  int from;
  int to;
  int step;
  Op op;
  bool stays = false;
};

/// What is drawn of a half of the tree: that of the moves that reduce, or of those that copy.
struct FoldedTree {
  struct Node {
    enum class Kind {
      full,  // with all that is in its branch
      stub,  // its branch is like that of the full node `like`
      dots,  // `count` nodes in a chain, each with branches like those that its parent has beside the chain
    };
    Kind kind;
    int node;       // of the tree; of dots, the first
    int parent;     // of those that are drawn, before this; -1: the root
    int step;       // of the move that joins it to its parent; dots: of the first
    bool stays;     // that move
    int like = -1;  // among those that are drawn
    int count = 1;
    int step_after = 0;  // dots: how many steps are from one to the next
  };

  std::vector<Node> nodes;  // the root first, each after its parent

  bool has_any(Node::Kind kind) const {
    return std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.kind == kind; });
  }

  /// Is the full node that a stub is like the only kind of branch that is joined in the stub's step?
  bool do_steps_tell() const;
};

/// Folds the half whose moves have this operation, of a tree with so many nodes; the moves are by step. Without moves
/// it is empty. Refused if a node has two ways to the root or moves too early, or if there are several roots. O(moves
/// log moves).
Drawn<FoldedTree> folded_tree(const std::vector<TreeMove>& moves, int nodes, Op op);

}  // namespace onceover::viz
