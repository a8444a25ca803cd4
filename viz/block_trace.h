// One block's way, taken from the transfers.
#pragma once

#include "schedules/schedule.h"

namespace onceover {

/// The trace of a block through the steps before `end`: from the transfers, as the ranks would run them.
/// O(transfers * log runs).
Trace trace_of(const Schedule& schedule, Block block, int end);

}  // namespace onceover
