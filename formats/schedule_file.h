// Schedule files, format `onceover-schedule` 1: JSON, read strictly and written canonically.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// Reads a schedule from the text of a file called `name`.
///
/// It is strict: every key must be known and occur once, every number must be whole and in its range, every list of
/// blocks must name each block once. Transfers may still be wrong (a self-transfer, a block that isn't held): that is
/// for the verifier to judge. The numbers of ranks and blocks may come after the steps, at the cost of a second pass.
/// O(text) time; memory: the schedule's (see ListedSchedule); no recursion.
///
/// What costs what is in docs/performance.md. A file that is refused is read twice.
tl::expected<SchedulePtr, SourceError> read_schedule(std::string_view name, std::string_view text);

/// Does the text look like a schedule in JSON, not like another format?
bool looks_like_schedule_file(std::string_view text);

/// A transfer as the writer writes it, with its lane or without.
std::string transfer_text(const Transfer& t, bool with_lane);

/// Writes the schedule: a line for each transfer, blocks ascending, neighbouring blocks as runs. The same schedule
/// always gives the same bytes. Returns false if writing failed; errno says why.
bool write_schedule(const Schedule& schedule, std::FILE* file);

}  // namespace onceover::formats
