// Symmetry: translations of the ranks that leave a schedule as it is, so that one block stands for many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// A group of translations of the ranks, seen as places on a torus: in each dimension by multiples of its stride.
///
///   ring, Bruck, PAT:     sides {p},        strides {1}        every shift
///   Swing, even p:        sides {p},        strides {2}        even shifts
///   Swing on 4x6:         sides {4, 6},     strides {2, 2}
///   recursive halving:    sides {2, .., 2}, strides {1, .., 1} r becomes r xor m
///
/// A translation takes block l*ranks + i, which rank i owns, to block l*ranks + (where it takes i).
struct Symmetry {
  std::vector<Rank> sides;
  std::vector<Rank> strides;  // each divides its side

  /// Ranks that no translation takes to each other: the product of the strides.
  Rank orbits() const;

  /// One of each orbit: the places with all coordinates below the strides, upward. O(orbits).
  std::vector<Rank> representatives() const;

  /// The representative of a rank's orbit. O(dimensions).
  Rank representative_of(Rank rank) const;

  /// "shifts of ranks by multiples of 2", "rank r to r xor m".
  std::string text() const;
};

/// What looking for a symmetry came to.
struct SymmetrySearch {
  std::optional<Symmetry> found;
  std::uint64_t messages = 0;  // compared
};

/// Tries all shifts, even shifts where the side is even, and the xor of ranks where their number is a power of two,
/// each on the schedule's own shape; the first under which it is invariant.
///
/// Invariant means exactly this: in every step, what a rank receives, message by message in its order, is what the
/// representative of its orbit receives, with sender and blocks translated; same operation, same lane. Every message of
/// every step is compared; a schedule in which one differs is not found symmetric. Only collectives that begin and end
/// alike for all ranks are looked at: everyone holds a block, or its owner does, who is its number modulo ranks.
/// So what executing a block comes to is what executing any other block of its orbit comes to, translated.
///
/// Ends without a symmetry when more than `budget` messages would have to be compared.
/// Cost: O(messages) for patterns on the torus's own axes; sets of blocks in other forms are compared block by block.
/// Memory: 8 bytes a rank and thread, and for each orbit one rank's messages of a step.
SymmetrySearch find_symmetry(const Schedule& schedule, int threads, std::uint64_t budget);

}  // namespace onceover::verifier
