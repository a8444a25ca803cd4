// The command line of `verify-mpi`.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "live/live_call.h"

namespace onceover::live {

struct Options {
  std::vector<LiveCall> calls = {};  // those asked for, in the order of the table, then by count
  std::vector<std::string> required = {};
  int repeats = 2;
  int seconds = 60;  // that a call may take
  bool json = false;
  bool terms = false;
  bool full = false;
  bool match = false;
  std::string schedule = {};  // a file whose terms the library's must be
  std::string help = {};      // to be printed, and nothing done
};

/// Reads the command line for a number of ranks.
cli::Result<Options> read_options(int argc, char** argv, Rank ranks);

}  // namespace onceover::live
