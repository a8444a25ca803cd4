// Parallel trees: the subtrees of a block's tree that a schedule runs side by side. (PAT, figures 6 to 11)
#pragma once

#include <optional>
#include <vector>

#include "viz/distributed_vector.h"

namespace onceover::viz {

struct ParallelTrees {
  std::vector<Rank> roots;  // the places of the trees' roots, ascending
  std::vector<int> tree;    // of each move: the position of its tree's root; -1: the move is above the trees
};

/// The parallel trees of moves that spread a vector from place 0, or gather it there backwards in time. Above the trees
/// are the steps before, in time, the first one with the most moves; from there on each tree has at most one move a
/// step, and there are as many trees as moves in that step. Nothing if the moves aren't like that, if there is but one
/// tree, or if it ends after one step. O(moves log moves)
///
/// Example: PAT with 8 ranks and an aggregation of 2 moves 0 to 4, then in three steps 0 to 2 and 4 to 6, 0 to 1 and 4
/// to 5, 2 to 3 and 6 to 7. The trees have the roots 0 and 4.
std::optional<ParallelTrees> parallel_trees(std::vector<VectorMove> moves, bool is_backwards);

}  // namespace onceover::viz
