// Holding: how much of a block a rank holds.
#pragma once

#include <cstdint>
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

/// The holdings that the terms of a table stand for; contributions to other blocks (see Execution) don't count.
class HoldingTable {
 public:
  /// The table keeps its terms as long as this is in use; it may get more.
  HoldingTable(const Header& header, const TermTable& terms) : ranks_(header.ranks), terms_(terms) {}

  /// O(ranks / 64) for each term that has not been reached before.
  Holding of(Term root);

 private:
  void add(Term term);

  Rank ranks_;
  const TermTable& terms_;
  std::vector<std::vector<std::uint64_t>> who_{{}};  // of each term by id, a bit for each contributor
  std::vector<Holding> holdings_{{}};
};

/// How many contributions a result has.
Rank contributors(const Header& header);

/// Fills row[block] with what the rank holds of the block that was executed, and row[slot] of its scratch with that of
/// these, if the row holds less there. `slots` are those of its trace, `table` is of the execution's terms.
void hold(const Header& header, const std::vector<Block>& slots, const Execution& execution, HoldingTable& table,
          Rank rank, std::vector<Holding>& row);

/// All holdings: by step (before the first, after the first, ..), rank and block, scratch included. Nothing if the
/// execution of a block has no meaning. O(steps * block transfers), and of each cell O(ranks / 64).
using Holdings = std::vector<std::vector<std::vector<Holding>>>;
std::optional<Holdings> holdings(const Schedule& schedule);

}  // namespace onceover::viz
