// What the programs `verify` and `verify-distributed` have in common: one command line, carried out.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "verifier/team.h"

namespace onceover::cli {

/// How a command line ended: with a message for standard error, if there is one.
struct End {
  ExitCode code;
  std::string message = {};
};

/// Carries out a command line, with a team if there is one. Whatever goes wrong is in the end.
End carry_out(int argc, char** argv, Team* team = nullptr);

}  // namespace onceover::cli
