// Programs that we start: text in, text out, within limits, and none of their processes stays behind.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace onceover::base {

/// A program, by path or by a name on the search path, with its arguments and input. No shell is involved.
struct Invocation {
  std::string program;
  std::vector<std::string> arguments = {};
  std::string input = {};                     // standard input
  std::vector<std::string> environment = {};  // "NAME=value": what differs from ours
};

/// Runs a command in a shell.
Invocation shell(const std::string& command);

/// How long a program may run and how much it may print.
struct ProcessLimits {
  int seconds = 60;
  std::size_t bytes = std::size_t{256} << 20;
};

/// How a program ended, and what it wrote.
struct ProcessEnd {
  enum class Exceeded { nothing, seconds, bytes };

  Exceeded exceeded;   // the limit at which we killed it
  int exit_code;       // -1 if a signal ended it
  int signal;          // 0 if none ended it
  std::string out;     // standard output
  std::string errors;  // the last few thousand bytes of standard error
};

/// Runs a program until it ends, exceeds a limit, or all work is to stop (base/stop.h, which throws). Then it and its
/// process group are killed; processes that left the group are killed when no other program runs. The error is the
/// system's errno for a program that can't be started: ENOENT if there is no such program.
tl::expected<ProcessEnd, int> run_process(const Invocation& invocation, const ProcessLimits& limits);

/// Why the program's output can't be used: "ran longer than 60 s", "printed more than 256 MiB", "was killed by signal
/// 11", "ended with exit code 1"; nothing if it can be used.
std::optional<std::string> complaint(const ProcessEnd& end, const ProcessLimits& limits);

/// The end of what a program wrote on standard error, to follow such a complaint; unprintable bytes become '?'.
std::string last_words(const std::string& errors);

/// The file that a program's name stands for on the search path, if there is one.
std::optional<std::string> find_on_path(const std::string& name);

}  // namespace onceover::base
