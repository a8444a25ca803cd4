// `verify claims`: tries what the papers claim.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "cli/json_output.h"

namespace onceover::cli {

struct ClaimsCommand {
  std::string id = {};    // empty: all
  std::string from = {};  // a file of claims; empty: ours
  bool markdown = false;
  JsonOutput json = {};
};

Result<ExitCode> run(const ClaimsCommand& command);

}  // namespace onceover::cli
