// `verify code`: judges functions that are written over MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "cli/json_output.h"
#include "code/code_options.h"
#include "code/code_run.h"
#include "code/executable.h"
#include "subjects/option_values.h"

namespace onceover::cli {

struct CodeCommand {
  code::CodeOptions code = {};
  std::string collective = {};  // empty: not said
  std::optional<RankList> ranks = {};
  JsonOutput json = {};
  bool full = false;
  bool family = false;  // which algorithm is it, for all p that were tried?
  std::string schedule_out = {};
  std::optional<std::string_view> with = {};  // an MPI that is there, which runs the same for few ranks
  std::string library = {};                   // empty: none
  std::string checkout = {};
  std::string algo = {};
  std::vector<std::string> settings = {};  // "k=2..4"
  bool lists = false;                      // only what the checkout has
  std::string selection = {};              // a file that is judged in place of an algorithm; empty: none
};

Result<ExitCode> run(const CodeCommand& command);

}  // namespace onceover::cli
