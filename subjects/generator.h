// A user's program that prints a schedule.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "base/process.h"

namespace onceover::subjects {

/// How long a user's program may run and how much it may print.
using GeneratorLimits = ProcessLimits;

/// What a shell command prints on standard output, run without standard input. A command that ends in another way than
/// with exit code 0 is `malformed`, one that exceeds a limit `unknown`; either message holds the end of what it wrote
/// on standard error.
Result<std::string> run_generator(const std::string& command, const GeneratorLimits& limits);

}  // namespace onceover::subjects
