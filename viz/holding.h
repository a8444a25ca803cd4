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

/// The holding that a term stands for; contributions to other blocks (see Execution) don't count. Ends at the first
/// duplicate, so O(ranks * log ranks).
Holding holding(const Header& header, const TermTable& terms, Term root);

/// How many contributions a result has.
Rank contributors(const Header& header);

/// Fills row[block] with what the rank holds of the block that was executed, and row[slot] of its scratch with that of
/// these, if the row holds less there. `slots` are those of its trace.
void hold(const Header& header, const std::vector<Block>& slots, const Execution& execution, Rank rank,
          std::vector<Holding>& row);

/// All holdings: by step (before the first, after the first, ..), rank and block, scratch included. Nothing if the
/// execution of a block has no meaning. O(steps * block transfers), and the cost of `holding` for each cell.
using Holdings = std::vector<std::vector<std::vector<Holding>>>;
std::optional<Holdings> holdings(const Schedule& schedule);

}  // namespace onceover::viz
