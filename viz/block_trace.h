// BlockTrace: the path of one block, taken from the transfers.
#pragma once

#include <vector>

#include "schedules/schedule.h"

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

}  // namespace onceover::viz
