// What the program prints for the user, in order.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "base/exit_code.h"

namespace onceover::base {

/// While this object lives, a result is being printed, perhaps to a slow reader. No progress line is drawn, and an
/// expired time limit doesn't end the program then or shortly afterwards.
class Telling {
 public:
  Telling();
  ~Telling();
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
};

/// Is a result being printed?
bool is_telling();

/// How many results were printed.
unsigned lines_told();

/// Prints on standard output and checks that the text got there.
Result<void> print(const std::string& text);

/// The same for what `write` writes; `write` returns false if it failed.
Result<void> print(const std::function<bool(std::FILE*)>& write);

/// Prints one of the program's own messages on standard error.
void warn(const std::string& message);

/// The exit code of a command that found `verdict` and then produced an output. If the output failed, this prints why
/// on standard error and returns the output's code; a violation keeps its own code, because it must not be hidden.
ExitCode after_output(ExitCode verdict, const Result<void>& output);

/// The same for an output that `give` makes and that a limit may cut off.
ExitCode after_giving(ExitCode verdict, const std::function<Result<void>()>& give);

}  // namespace onceover::base
