// MoveSymmetry: translations of the ranks that leave the moves of one block as they are.
#pragma once

#include <optional>

#include "schedules/schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// The first of `translations_to_try` that takes the moves of the block to themselves: in each step, what a rank
/// receives, in order, is what the representative of its orbit receives, with the senders translated. If also all ranks
/// begin with a contribution, what a rank holds in the end is what that representative holds, translated. In swing's
/// exchanges of whole vectors, all even ranks do the same, and all odd ones.
///
/// Nothing if there is none. Only for traces without scratch. O(moves) for each translation that is tried. Memory: 12
/// bytes a rank, and for each orbit one rank's moves of a step.
std::optional<Symmetry> symmetry_of_moves(const Header& header, const Trace& trace);

}  // namespace onceover::verifier
