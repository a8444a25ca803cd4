// The messages of a program, for commands that follow messages through a network.
#pragma once

#include <optional>
#include <vector>

#include "schedules/schedule.h"
#include "subjects/comparison.h"
#include "subjects/judgeable.h"
#include "subjects/network_plan.h"

namespace onceover::cli {

using subjects::Shape;  // not that of code

struct ProgramMessages {
  Verification run;           // the verdict on the program
  SchedulePtr schedule;       // its messages as steps
  std::uint64_t block_bytes;  // 0: a block is a chunk of the vector
  bool is_of_gpus;            // see InputKind
};

/// The network on which a program's messages run. GPUs are linked with each other unless --topology or --torus says
/// otherwise: a ring would be the program's, not the machine's.
NetworkOptions network_of(const NetworkOptions& network, const SubjectOptions& subject, bool is_of_gpus);

/// What can be sent through a network: schedules, or a program's messages.
struct Sendable {
  std::vector<Subject> schedules = {};  // empty exactly if it is a program
  std::optional<ProgramMessages> program = {};
};

/// The shape that --torus gives the program's ranks; empty: a line.
Result<Shape> shape_of(const std::vector<Shape>& tori, Rank ranks);

/// The messages of the program as steps. --torus says how its ranks are arranged. A program that never ends, has no
/// messages, or whose messages aren't known, is a failure.
Result<MessageSteps> messages_of(const Judgeable& program, const std::vector<Shape>& tori);

/// The failure of a program without steps.
Failure no_messages(const Judgeable& program, const NoMessages& why);

/// Refuses the mode in which ranks don't wait: what a program's messages wait for isn't in their steps.
Result<void> check_mode_of_program(Mode mode);

/// The subjects that the options name; a program is judged, and its messages are as above.
Result<Sendable> resolve_sendable(const SubjectOptions& options);

}  // namespace onceover::cli
