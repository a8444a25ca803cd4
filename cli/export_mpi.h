// `verify export --to mpi`.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "subjects/subject.h"

namespace onceover::cli {

/// What writes the schedule as a C file, which defines the function `chosen_name`, or one named after the schedule if
/// that is empty. The schedule is judged first: one that isn't an allreduce that is well-formed and exactly-once has no
/// such file. `subject` names the schedule.
Result<std::function<bool(std::FILE*)>> mpi_writer(const SubjectOptions& subject, const std::string& chosen_name,
                                                   const SchedulePtr& schedule);

}  // namespace onceover::cli
