// Translations of ranks as places on a torus, and those that are tried on schedules, or on the moves of one block.
#pragma once

#include <optional>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// Adds and subtracts places on a symmetry's torus, coordinate by coordinate. O(1) on a line and for the xor of ranks,
/// else O(dimensions).
class Places {
 public:
  explicit Places(const Symmetry& symmetry);  // which must outlive this

  Rank minus(Rank a, Rank b) const {
    return combined(a, b, [](Rank x, Rank y, Rank side) { return x - y + (x < y ? side : 0); });
  }

  Rank plus(Rank a, Rank b) const {
    return combined(a, b, [](Rank x, Rank y, Rank side) { return x + y - (x >= side - y ? side : 0); });
  }

 private:
  enum class Form { torus, line, bits };

  template <class Combine>
  Rank combined(Rank a, Rank b, Combine&& combine) const {
    if (form_ == Form::line) return combine(a, b, line_);
    return form_ == Form::bits ? a ^ b : by_coordinate(a, b, combine);
  }

  template <class Combine>
  Rank by_coordinate(Rank a, Rank b, Combine&& combine) const {
    Rank place = 0;
    Rank weight = 1;
    for (std::size_t k = symmetry_.sides.size(); k-- > 1;) {
      const Rank side = symmetry_.sides[k];
      place += combine(a % side, b % side, side) * weight;
      a /= side;
      b /= side;
      weight *= side;
    }
    return place + combine(a, b, symmetry_.sides.front()) * weight;
  }

  const Symmetry& symmetry_;
  Form form_ = Form::torus;  // a line and the xor of ranks need no coordinates
  Rank line_;
};

/// All shifts on the schedule's torus, even shifts along its even sides, and, if the number of ranks is a power of two,
/// the xor of ranks. A schedule that names no torus, or one with another number of ranks, is on a line.
std::vector<Symmetry> translations_to_try(const Header& header);

/// The first of `translations_to_try` that takes the moves of the block to themselves: in each step, what a rank
/// receives, in order, is what the representative of its orbit receives, with the senders translated. If also all ranks
/// begin with a contribution, what a rank holds in the end is what that representative holds, translated. In swing's
/// exchanges of whole vectors, all even ranks do the same, and all odd ones.
///
/// Nothing if there is none. Only for traces without scratch. O(moves) for each translation that is tried. Memory: 12
/// bytes a rank, and for each orbit one rank's moves of a step.
std::optional<Symmetry> symmetry_of_moves(const Header& header, const Trace& trace);

}  // namespace onceover::verifier
