// `verify gate`: a file of checks, judged in one go.
#pragma once

#include <string>

#include "base/exit_code.h"

namespace onceover::cli {

/// The options, as the user gave them; empty where not given.
struct GateCommand {
  std::string file = "gate.toml";
  bool print_config = false;
  std::string filter = {};
  std::string shard = {};  // i/n
  std::string jobs = {};
  std::string baseline = {};
  bool update_baseline = false;
  bool no_cache = false;
  std::string json_out = {};
  std::string junit_out = {};
  std::string sarif_out = {};
  std::string markdown_out = {};
};

Result<ExitCode> run(const GateCommand& command);

}  // namespace onceover::cli
