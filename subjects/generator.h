// A user's program that prints a schedule.
#pragma once

#include <string>

#include "base/exit_code.h"

namespace onceover::subjects {

/// How long a program may run and how much it may print.
struct GeneratorLimits {
  int seconds = 60;
  std::size_t bytes = std::size_t{256} << 20;
};

/// How a command ended, and what it wrote.
struct CommandEnd {
  enum class Exceeded { nothing, seconds, bytes };

  Exceeded exceeded;   // the limit at which it was killed
  int exit_code;       // -1: a signal ended it
  int signal;          // 0: none did
  std::string out;     // standard output
  std::string errors;  // the last few thousand bytes of standard error
};

/// Runs a shell command without standard input. When it ends, or exceeds a limit, it and all processes of its group are
/// killed; those that left the group, when no other program runs. An error is that of the system which couldn't start
/// it.
tl::expected<CommandEnd, int> run_command(const std::string& command, const GeneratorLimits& limits);

/// What a shell command prints on standard output, run by `run_command`. A command that ends in another way than with
/// exit code 0 is `malformed`, one that exceeds a limit `unknown`; either message holds the end of what it wrote on
/// standard error.
Result<std::string> run_generator(const std::string& command, const GeneratorLimits& limits);

}  // namespace onceover::subjects
