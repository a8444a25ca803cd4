// A schedule with other names for its blocks.
#pragma once

#include <vector>

#include "schedules/schedule.h"

namespace onceover::schedules {

/// The same transfers, in which block b of `schedule` is block name[b] and belongs to the same rank. `name` is a
/// permutation of the promised blocks. So is scratch renamed, if there is a scratch block for each of them.
/// O(block transfers) time and memory: 8 bytes for each, or more where blocks land elsewhere.
SchedulePtr with_renamed_blocks(const Schedule& schedule, const std::vector<Block>& name);

}  // namespace onceover::schedules
