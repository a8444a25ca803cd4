// BlockTrace: the path of one block, taken from the transfers.
#pragma once

#include <vector>

#include "schedules/schedule.h"

namespace onceover::viz {

/// The path of a block, taken from the transfers of one step after the other, as the ranks would run them. O(transfers
/// * log runs) in all, however often it is asked.
class BlockTrace {
 public:
  BlockTrace(const Schedule& schedule, Block block) : schedule_(schedule), block_(block) {}

  /// The trace of the steps before `end`, which must never decrease. Valid until the next call.
  const Trace& before(int end);

 private:
  const Schedule& schedule_;
  Block block_;
  int step_ = 0;  // the first step that isn't in the trace
  Trace trace_;
  std::vector<Transfer> transfers_;
};

}  // namespace onceover::viz
