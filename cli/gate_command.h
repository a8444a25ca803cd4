// `verify gate`: judges a file of checks.
#pragma once

#include <string>
#include <string_view>

#include "base/exit_code.h"
#include "subjects/option_values.h"

namespace onceover::cli {

/// Part `index` of `count` parts of the units.
struct Shard {
  int index = 1;  // from 1
  int count = 1;
};

/// Names of files and patterns are empty if they aren't given.
struct GateCommand {
  std::string file = "gate.toml";
  bool print_config = false;
  std::string filter = {};
  Shard shard = {};
  std::optional<int> jobs = {};  // not given: as many as there are cores
  std::string baseline = {};
  bool update_baseline = false;
  bool no_cache = false;
  bool json = false;
  std::string json_out = {};
  std::string junit_out = {};
  std::string sarif_out = {};
  std::string markdown_out = {};
};

/// Parses "1/4".
Result<Shard> parse_shard(const std::string& text);

/// Parses a number from 1 to `most`; the usage error names the option.
Result<int> parse_count(std::string_view flag, const std::string& text, int most);

/// Parses a number from 1 to 256.
Result<int> parse_jobs(const std::string& text);

Result<ExitCode> run(const GateCommand& command);

}  // namespace onceover::cli
