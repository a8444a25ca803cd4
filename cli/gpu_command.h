// `verify gpu`: judges GPU kernels from their PTX.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "cli/json_output.h"
#include "subjects/option_values.h"

namespace onceover::cli {

struct GpuCommand {
  std::string file = {};    // a launch description, or with --launch a program: PTX or CUDA
  std::string launch = {};  // a launch description, for that program
  std::optional<RankList> ranks = {};
  std::vector<std::int64_t> sizes = {};
  std::optional<std::uint32_t> seeds = {};
  std::uint64_t seed = 1;
  std::uint32_t most_starved = 64;
  std::uint64_t most_instructions = 1'000'000'000;
  bool newest_values = false;
  bool exhaustive = false;
  std::uint64_t most_runs = 10'000;
  bool describe = false;
  bool strict = false;  // without the grants of the description
  bool full = false;
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  JsonOutput json = {};
  std::string counterexample_out = {};
};

Result<ExitCode> run(const GpuCommand& command);

}  // namespace onceover::cli
