// Translations of ranks as places on a torus, and those that are tried on schedules.
#pragma once

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

}  // namespace onceover::verifier
