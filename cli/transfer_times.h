// When the transfers of a schedule are under way, as `cost` adds up their times.
#pragma once

#include <vector>

#include "base/result.h"
#include "formats/perfetto.h"
#include "network/network.h"
#include "schedules/schedule.h"
#include "subjects/comparison.h"

namespace onceover::cli {

/// Of each transfer, in the order of the schedule, for a vector of so many bytes. What a rank moves between its own
/// blocks takes no time: it is when the rank's messages of the steps before have arrived. A schedule that can't be
/// followed is a failure. Time and memory are those of `follow_in_time` or `simulate`, and O(transfers log transfers).
Result<std::vector<TransferTime>> transfer_times(const Schedule& schedule, const Network& network, const Timing& timing,
                                                 double bytes);

}  // namespace onceover::cli
