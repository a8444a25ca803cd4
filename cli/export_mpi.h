// `verify export --to mpi`.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "subjects/subject.h"

namespace onceover::cli {

/// Returns a function that writes the schedule as a C file. The file defines the function `chosen_name`; if that is
/// empty, the name comes from the schedule. `mpi_refusal` must have nothing against the schedule. It is judged first:
/// it must be well-formed and exactly-once. `subject` names the schedule.
Result<std::function<bool(std::FILE*)>> mpi_writer(const SubjectOptions& subject, const std::string& chosen_name,
                                                   const SchedulePtr& schedule);

}  // namespace onceover::cli
