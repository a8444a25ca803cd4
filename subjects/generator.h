// A user's program that prints a schedule.
#pragma once

#include <optional>
#include <string>

#include "base/exit_code.h"
#include "base/process.h"

namespace onceover::subjects {

/// How long a user's program may run and how much it may print.
using GeneratorLimits = ProcessLimits;

/// The exit code by which a command says that it has no schedule for these ranks; automake's for a test that is
/// skipped.
inline constexpr int not_for_these = 77;

/// What a command said: a text, or that it has no schedule for these ranks.
struct Generated {
  std::string text;
  std::optional<std::string> why_not = {};  // the end of its standard error
};

/// Runs a shell command, which gets no standard input, and whose standard output is the text. Any end with another exit
/// code than 0 and `not_for_these` is `malformed`, an exceeded limit is `unknown`; either message quotes the end of the
/// command's standard error.
Result<Generated> run_generator(const std::string& command, const GeneratorLimits& limits);

}  // namespace onceover::subjects
