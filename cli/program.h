// What `verify` and `verify-distributed` share: running one command line.
#pragma once

#include <string>

#include "base/result.h"
#include "verifier/team.h"

namespace onceover::cli {

/// How a command line ended, with a message for standard error if there is one.
struct End {
  ExitCode code;
  std::string message = {};
};

/// Runs a command line, with a team if there is one. Every error is in the end that it returns.
End carry_out(int argc, char** argv, Team* team = nullptr);

}  // namespace onceover::cli
