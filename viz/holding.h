// How much of a block a rank holds.
#pragma once

#include <optional>
#include <vector>

#include "verifier/execution.h"

namespace onceover::viz {

/// What a rank holds of a block: how many ranks' contributions, and whether one came more than once.
struct Holding {
  int contributions = 0;
  bool has_duplicate = false;
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// The holding that a term is. Ends at the first duplicate, so O(ranks * log ranks).
Holding holding(const TermTable& terms, Term root);

/// How many contributions make a result.
Rank contributors(const Header& header);

/// Who holds how much of what: by step (before the first, after the first, ..), rank and block. Nothing if the
/// execution of a block has no meaning. O(steps * block transfers), and what `holding` takes for each cell.
using Holdings = std::vector<std::vector<std::vector<Holding>>>;
std::optional<Holdings> holdings(const Schedule& schedule);

}  // namespace onceover::viz
