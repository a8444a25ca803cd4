// Programs that we start: text in, text out, within limits, and nothing of them stays.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_code.h"

namespace onceover::base {

/// A program, by its path or as the search path knows it, and what it is given. It isn't started through a shell.
struct Invocation {
  std::string program;
  std::vector<std::string> arguments = {};
  std::string input = {};  // standard input
};

/// A shell that carries out a command.
Invocation shell(const std::string& command);

/// How long a program may run and how much it may print.
struct ProcessLimits {
  int seconds = 60;
  std::size_t bytes = std::size_t{256} << 20;
};

/// How a program ended, and what it wrote.
struct ProcessEnd {
  enum class Exceeded { nothing, seconds, bytes };

  Exceeded exceeded;   // the limit at which it was killed
  int exit_code;       // -1: a signal ended it
  int signal;          // 0: none did
  std::string out;     // standard output
  std::string errors;  // the last few thousand bytes of standard error
};

/// Runs a program. When it ends, exceeds a limit, or all work is to stop (base/stop.h, which throws), it and all
/// processes of its group are killed; those that left the group, when no other program runs. An error is that of the
/// system which couldn't start it: ENOENT where there is no such program.
tl::expected<ProcessEnd, int> run_process(const Invocation& invocation, const ProcessLimits& limits);

/// Why what it printed is of no use: "ran longer than 60 s", "printed more than 256 MiB", "was killed by signal 11",
/// "ended with exit code 1"; nothing if it is of use.
std::optional<std::string> complaint(const ProcessEnd& end, const ProcessLimits& limits);

/// The last part of what a program wrote on standard error, to be added to such a complaint: unprintable bytes as '?'.
std::string last_words(const std::string& errors);

/// The file that the name of a program means on the search path; nothing if there is none.
std::optional<std::string> find_on_path(const std::string& name);

}  // namespace onceover::base
