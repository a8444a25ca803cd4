// The messages of a program, for commands that follow messages through a network.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "programs/message_steps.h"
#include "schedules/schedule.h"
#include "subjects/comparison.h"
#include "subjects/network_options.h"
#include "subjects/run.h"

namespace onceover::cli {

struct ProgramMessages {
  Verification run;           // the verdict on the program
  SchedulePtr schedule;       // its messages as steps
  std::uint64_t block_bytes;  // 0: a block is a chunk of the vector
  bool is_of_gpus;            // MSCCL XML or a plan of MSCCL++
};

/// Is such a program one of GPUs?
template <class AnyProgram>
constexpr bool describes_gpus = !std::is_same_v<AnyProgram, GoalFile>;

/// The network on which a program's messages run. GPUs are linked with each other unless --topology or --torus says
/// otherwise: a ring would be the program's, not the machine's.
NetworkOptions network_of(const NetworkOptions& network, const SubjectOptions& subject, bool is_of_gpus);

/// What can be sent through a network: schedules, or a program's messages.
using Sendable = std::variant<std::vector<Subject>, ProgramMessages>;

/// The messages of the program in a file as steps. --torus says how its ranks are arranged. A program that never ends,
/// or whose messages aren't known, is a failure.
Result<MessageSteps> messages_of(const Program& program, const SubjectOptions& options);
Result<MessageSteps> messages_of(const GoalFile& goal, const SubjectOptions& options);
Result<MessageSteps> messages_of(const ExecutionPlan& plan, const SubjectOptions& options);

/// Refuses the mode in which ranks don't wait: what a program's messages wait for isn't in their steps.
Result<void> check_mode_of_program(Mode mode);

/// The subjects that the options name; a program is judged, and its messages are as above.
Result<Sendable> resolve_sendable(const SubjectOptions& options);

}  // namespace onceover::cli
