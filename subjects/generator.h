// A user's program that prints a schedule.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "base/process.h"

namespace onceover::subjects {

/// How long a user's program may run and how much it may print.
using GeneratorLimits = ProcessLimits;

/// The standard output of a shell command, which gets no standard input. Any end other than exit code 0 is `malformed`,
/// an exceeded limit is `unknown`; either message quotes the end of the command's standard error.
Result<std::string> run_generator(const std::string& command, const GeneratorLimits& limits);

}  // namespace onceover::subjects
