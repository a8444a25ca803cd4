// A distributed vector's moves in a folded picture: which are drawn, and in which steps.
#pragma once

#include <vector>

#include "viz/distributed_vector.h"
#include "viz/messages.h"

namespace onceover::viz {

/// A row of the picture: a step; or steps that are left out, each of which is the one before it, shifted.
struct VectorRow {
  StepRange steps;
  bool is_left_out = false;
};

/// Each of the steps; or, of a stretch in which every step is the one before with what it comes from shifted by one
/// number, and what it goes to by another, the first two, a row for those between, and the last. O(moves).
///
/// Example: of a ring of 64, the steps 0 and 1, the row of 2 to 61, and step 62, in which place 62 moves to 63.
std::vector<VectorRow> rows_of_folded(const DistributedVector& vector, StepRange steps, Rank ranks);

/// The moves as messages between places, of which those that move alike are folded. Refused if the vector has scratch.
Drawn<SelectedMessages> folded_moves(const DistributedVector& vector, const Header& header, int steps,
                                     const DrawOptions& options);

}  // namespace onceover::viz
