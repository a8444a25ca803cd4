// DistributedVector: blocks that move alike, one for each owner, seen as one block. (Kolmakov and Zhang, section 5)
//
// A *place* says where a block is, as seen from its owner. All blocks of the vector at the same place are at different
// ranks, so a move from place to place is a permutation of the ranks. If the blocks move alike, the moves of a few
// places are the whole schedule.
//
// Example: in a one-way ring of 7, block b moves from rank b + 1 to b + 2 in the first step, for every b. So place 1
// moves to place 2, by the permutation t that takes each rank to the next one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/symmetry.h"
#include "viz/drawn.h"

namespace onceover::viz {

/// How ranks are seen from the owner of a block.
class Placing {
 public:
  enum class Kind {
    turned,     // rank owner + k has place k, in each dimension
    exclusive,  // rank owner xor k has place k
    mirrored,   // rank owner + k has place k or, in dimensions in which the owner is odd, rank owner - k
  };

  Placing(Kind kind, std::vector<Rank> sides) : kind_(kind), sides_(std::move(sides)) {}

  /// Places are numbered like ranks, row-major. O(dimensions)
  Rank place(Rank owner, Rank rank) const;

  /// The permutation between two places: "t^-3", of a torus "t(0,1)", or "xor 4".
  std::string permutation(Rank from, Rank to) const;

  /// Do the translations take each place, as seen from an owner, to the same place of the owner's image?
  bool is_kept_by(const Symmetry& symmetry) const;

  /// What a place, which has a column or a row, and t are, in sentences for a key.
  std::string explanation(bool are_rows) const;

 private:
  bool is_line() const { return sides_.size() == 1; }

  Kind kind_;
  std::vector<Rank> sides_;
};

/// A move of the vector. Places in scratch are numbered on: slot * ranks + place (see Trace).
struct VectorMove {
  int step;
  Op op;
  Rank from;
  Rank to;

  auto operator<=>(const VectorMove&) const = default;
};

struct DistributedVector {
  Placing placing;
  std::vector<VectorMove> moves;  // by step, then as they are ordered
  int slots;                      // 1 without scratch
};

/// The vector that a block belongs to, with the blocks that are at the same position among the blocks of their owners.
/// Its moves are those of every block of it: each is compared, or one of each orbit of a checked symmetry that keeps
/// the placing. Refuses schedules in which they don't move alike, under any placing. O(moves log moves) of what is
/// compared, for each placing; more than 20 million moves are too many.
Drawn<DistributedVector> distributed_vector(const Schedule& schedule, Block block);

// Parallel trees: the subtrees of a block's tree that a schedule runs side by side. (PAT, figures 6 to 11)

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
