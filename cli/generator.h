// A user's program that prints a schedule.
#pragma once

#include <string>

#include "cli/exit_code.h"

namespace onceover::cli {

/// How long a program may run and how much it may print.
struct GeneratorLimits {
  int seconds = 60;
  std::size_t bytes = std::size_t{256} << 20;
};

/// What a shell command prints on standard output, run without standard input. When it ends, or runs too long, or
/// prints too much, it and all processes of its group are killed; those that left the group, when no other program
/// runs. A command that ends in another way than with exit code 0 is `malformed`, one that exceeds a limit `unknown`;
/// either message holds the end of what it wrote on standard error.
Result<std::string> run_generator(const std::string& command, const GeneratorLimits& limits);

}  // namespace onceover::cli
