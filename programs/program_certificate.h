// Certificates of programs that pass: orders of their operations, and what threads and blocks know of others.
// docs/certificate.md has the format; verify-check judges them.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "formats/goal_file.h"
#include "formats/plan.h"
#include "programs/happens_before.h"

namespace onceover::programs {

/// The certificate of a program of MSCCL XML that passes, or why it has none. `fifo`: the room in which it must end, if
/// it isn't what the runtime has. Costs what its races cost, and memory for the clocks of all its middles.
tl::expected<std::string, std::string> program_certificate(const Program& program, Depth fifo);

/// The same of a GOAL file.
tl::expected<std::string, std::string> program_certificate(const GoalFile& goal, Depth fifo);

/// The certificate of a plan that passes, or why it has none. Time and memory: those of the clocks of all sizes.
tl::expected<std::string, std::string> plan_certificate(const ExecutionPlan& plan);

}  // namespace onceover::programs
