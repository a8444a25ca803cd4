// What is told to the user, in the order in which it is told.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "base/exit_code.h"

namespace onceover::base {

/// While such an object lives, a result is being told, perhaps to somebody who reads slowly: there is no line of
/// progress on the terminal, and a limit on time that ran out ends nothing, nor a while later.
class Telling {
 public:
  Telling();
  ~Telling();
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
};

/// Is a result being told?
bool is_telling();

/// How many were told.
unsigned lines_told();

/// Prints on standard output and makes sure that it got there.
Result<void> print(const std::string& text);

/// The same of what `write` writes; it returns false if writing failed.
Result<void> print(const std::function<bool(std::FILE*)>& write);

/// A line on standard error, of the program's own.
void warn(const std::string& message);

/// How a command ends that found `verdict` and then gave an output. Where that failed, it says so on standard error,
/// and ends with the output's code, except that a violation must not be hidden by it.
ExitCode after_output(ExitCode verdict, const Result<void>& output);

/// The same of an output that is made by `give`, which a limit may cut off.
ExitCode after_giving(ExitCode verdict, const std::function<Result<void>()>& give);

}  // namespace onceover::base
