// What happens to one block: BlockTrace, its path, taken from the transfers; ContributionTrace, the path of one rank's
// contribution to it; BlockContent, how much of it a rank holds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/execution.h"
#include "viz/messages.h"

namespace onceover::viz {

/// The path of a block, taken from the transfers of one step after the other, as the ranks would run them; with scratch
/// the moves of its group, between cells (see Trace). O(transfers * log runs) for each block of the group in all,
/// however often it is asked.
class BlockTrace {
 public:
  BlockTrace(const Schedule& schedule, Block block);

  /// The trace of the steps before `end`, which must never decrease. Valid until the next call.
  const Trace& before(int end);

  /// The block, then the others of its group, ascending.
  const std::vector<Block>& slots() const { return slots_; }

 private:
  void add(BlockTransfer move, Op op);
  Rank cell(Block block, Rank rank) const;

  const Schedule& schedule_;
  std::vector<Block> slots_;
  int step_ = 0;  // the first step that isn't in the trace
  Trace trace_;
  std::vector<Transfer> transfers_;
};

/// The ranks that hold a contribution, and the moves that bring it to a rank. With scratch a rank holds it if any block
/// of the group does. O(moves of the block + ranks).
class ContributionTrace {
 public:
  ContributionTrace(const Schedule& schedule, Block block, Rank contributor);

  /// A move after which its receiver holds the contribution.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    friend auto operator<=>(const Leg&, const Leg&) = default;
  };

  const std::set<Leg>& legs() const { return legs_; }

  /// By rank, the steps that it begins with the contribution, as ranges.
  const std::map<Rank, std::vector<StepRange>>& held() const { return held_; }

 private:
  std::set<Leg> legs_;
  std::map<Rank, std::vector<StepRange>> held_;
};

/// What a rank holds of a block: how many ranks' contributions, and whether one occurs more than once.
struct BlockContent {
  int contributions = 0;
  bool has_duplicate = false;
  friend bool operator==(const BlockContent&, const BlockContent&) = default;
};

/// The contents that the terms of a table stand for; contributions to other blocks (see Execution) don't count.
class BlockContentTable {
 public:
  /// The table keeps its terms as long as this is in use; it may get more.
  BlockContentTable(const Header& header, const TermTable& terms) : ranks_(header.ranks), terms_(terms) {}

  /// O(ranks / 64) for each term that has not been reached before.
  BlockContent of(Term root);

 private:
  void add(Term term);

  Rank ranks_;
  const TermTable& terms_;
  std::vector<std::vector<std::uint64_t>> who_{{}};  // of each term by id, a bit for each contributor
  std::vector<BlockContent> contents_{{}};
};

/// How many contributions a result has.
Rank contributors(const Header& header);

/// Fills the row with what the rank holds of the block that was executed, and, where the row holds less so far, of its
/// scratch. `slots` are those of the block's trace, `table` is of the execution's terms.
void set_block_contents(const Header& header, const std::vector<Block>& slots, const Execution& execution,
                        BlockContentTable& table, Rank rank, std::vector<BlockContent>& row);

}  // namespace onceover::viz
