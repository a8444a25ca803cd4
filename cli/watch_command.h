// `verify watch`: judges again whenever a file of the subject changes, and tells what changed in the verdict.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "subjects/option_values.h"

namespace onceover::cli {

struct WatchCommand {
  std::vector<std::string> also = {};  // more files to watch
  std::optional<int> runs = {};        // how often to judge; not given: until an interrupt
  const CLI::App* line = nullptr;      // whose remaining words are the command line that is run
};

/// Parses a number from 1 to 1,000,000.
Result<int> parse_runs(const std::string& text);

/// Runs until an interrupt, which ends the program with 0, or until all runs are done: then with the last run's code.
Result<ExitCode> run(const WatchCommand& command);

}  // namespace onceover::cli
