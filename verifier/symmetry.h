// Symmetry: translations of the ranks that leave a schedule unchanged, so that one block stands for many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::verifier {

/// Translations of the ranks as places on a torus: in each dimension by multiples of its stride.
///
///   ring, Bruck, PAT:     sides {p},        strides {1}        every shift
///   Swing, even p:        sides {p},        strides {2}        even shifts
///   Swing on 4x6:         sides {4, 6},     strides {2, 2}
///   recursive halving:    sides {2, .., 2}, strides {1, .., 1} r becomes r xor m
///
/// A translation that takes rank i to rank j takes block l*ranks + i, which rank i owns, to block l*ranks + j.
///
/// Sides may be cut into parts. Then only coordinates of one part are in an orbit, and the ranks from the last part on
/// stay where they are. Swing on 7 ranks shifts ranks 0 to 5 by even numbers; rank 6 exchanges its blocks with 0 to 2
/// at one step, then with 3 and 4, then with 5. So the cuts are {3, 5, 6}.
///
/// If ranks are folded, the places are those of the other ranks, and each lane has a block for each place.
struct Symmetry {
  std::vector<Rank> sides = {};
  std::vector<Rank> strides = {};  // if nothing is cut, each divides its side
  std::vector<std::vector<Rank>> cuts =
      {};                   // of each side, where parts begin, ascending, without 0; empty: none at all
  bool relabelled = false;  // places are seats, in which ranks sit as labels say; blocks are numbered by seat
  Rank folded = 0;          // ranks without a place (see FoldedRanks)

  /// Are places ranks, all of which translations move?
  bool moves_all_ranks() const { return cuts.empty() && !relabelled && folded == 0; }

  /// The number of places: that of a lane's blocks.
  Rank places() const;

  /// The number of orbits: sets of ranks whose blocks translations take to each other. O(cuts).
  Rank orbits() const;

  /// One rank of each orbit, the lowest, ascending. O(orbits * dimensions).
  std::vector<Rank> representatives() const;

  /// The representative of a rank's orbit, at most the rank. O(dimensions * log cuts).
  Rank representative_of(Rank rank) const;

  /// Number of ranks in the orbit of a representative. O(dimensions * log cuts).
  Rank orbit_size(Rank representative) const;

  /// "shifts of ranks by multiples of 2", "rank r to r xor m, after 2 ranks are folded onto others".
  std::string text() const;

 private:
  /// The coordinates first .. end-1 of a side.
  struct Part {
    Rank first, end;
  };
  Part part_of(std::size_t side, Rank coordinate) const;
  std::vector<Rank> representatives_on(std::size_t side) const;
  std::string text_of_translations() const;
};

// Inline, because the search for a symmetry calls it for every message.
inline Rank Symmetry::representative_of(Rank rank) const {
  Rank representative = 0;
  Rank weight = 1;
  for (std::size_t k = sides.size(); k-- > 0;) {
    const Rank coordinate = k == 0 ? rank : rank % sides[k];
    const Rank first = cuts.empty() ? 0 : part_of(k, coordinate).first;
    representative += (first + (coordinate - first) % strides[k]) * weight;
    rank /= sides[k];
    weight *= sides[k];
  }
  return representative;
}

/// The result of a search for a symmetry.
struct SymmetrySearch {
  std::optional<Symmetry> found;
  std::uint64_t messages = 0;  // messages compared
};

/// Looks for a symmetry, first in the patterns of the schedule, if it is made of patterns (see pattern_symmetry.h).
/// Then it tries all shifts, even shifts along even sides, and the xor of ranks if their number is a power of two, on
/// the schedule's own shape, on the messages, and returns the first under which the schedule is invariant.
///
/// Invariant means exactly this: in every step, the messages that a rank receives, in their order, are those that the
/// representative of its orbit receives, with sender and blocks translated, and with the same operation and lane. Every
/// message of every step is compared; if one differs, no symmetry is found. Only collectives that begin and end alike
/// for all ranks are considered: every rank holds a block, or its owner does, which must be the block's number modulo
/// ranks. So executing a block gives the result, translated, of executing any other block of its orbit.
///
/// Ends without a symmetry if more than `budget` messages would have to be compared. Cost: O(messages) for patterns on
/// the torus's own axes; other sets of blocks are compared block by block. Memory: 8 bytes a rank and thread, and for
/// each orbit one rank's messages of a step.
SymmetrySearch find_symmetry(const Schedule& schedule, int threads, std::uint64_t budget);

}  // namespace onceover::verifier
