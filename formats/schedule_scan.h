// The fast reader of schedule files. It knows only right from wrong.
#pragma once

#include <string_view>

#include "schedules/schedule.h"

namespace onceover::formats {

/// The schedule in a text, or null if `parse_schedule_with_places` has something to say against it. Both accept the
/// same texts and read the same schedules; a fuzz target compares them.
///
/// O(text) time, if the sizes come before the steps; what it costs is in docs/performance.md. Memory: the schedule's
/// (see ListedSchedule).
SchedulePtr scan_schedule(std::string_view text);

}  // namespace onceover::formats
