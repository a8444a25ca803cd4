// Holding: how much of a block a rank holds.
#pragma once

#include <optional>
#include <vector>

#include "verifier/execution.h"

namespace onceover::viz {

/// What a rank holds of a block: how many ranks' contributions, and whether one occurs more than once.
struct Holding {
  int contributions = 0;
  bool has_duplicate = false;
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// The holding that a term stands for. Ends at the first duplicate, so O(ranks * log ranks).
Holding holding(const TermTable& terms, Term root);

/// How many contributions a result has.
Rank contributors(const Header& header);

/// All holdings: by step (before the first, after the first, ..), rank and block. Nothing if the execution of a block
/// has no meaning. O(steps * block transfers), and the cost of `holding` for each cell.
using Holdings = std::vector<std::vector<std::vector<Holding>>>;
std::optional<Holdings> holdings(const Schedule& schedule);

}  // namespace onceover::viz
