// The messages of a program, for commands that follow messages through a network.
#pragma once

#include <variant>
#include <vector>

#include "schedules/schedule.h"
#include "subjects/run.h"

namespace onceover::cli {

struct ProgramMessages {
  Verification run;           // the verdict on the program
  SchedulePtr schedule;       // its messages as steps
  std::uint64_t block_bytes;  // 0: a block is a chunk of the vector
};

/// What can be sent through a network: schedules, or a program's messages.
using Sendable = std::variant<std::vector<Subject>, ProgramMessages>;

/// The subjects that the options name; a program is judged. --torus says how the ranks of a program are arranged. A
/// program that never ends, or whose messages have no fixed receivers, is a failure.
Result<Sendable> resolve_sendable(const SubjectOptions& options);

}  // namespace onceover::cli
