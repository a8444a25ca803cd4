// The command line of `verify-mpi`, and what `verify live` passes on to it.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"
#include "live/live_call.h"
#include "schedules/schedule.h"

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
  bool preloaded = false;     // a library that was loaded before the MPI must define one of the collectives
  std::string schedule = {};  // a file whose terms the library's must be
  std::string help = {};      // to be printed, and nothing done
};

/// The counts that a list such as 0,1,p-1,1000 names, ascending.
Result<std::vector<int>> parse_counts(const std::string& text, Rank ranks);

/// Refuses options by the names that they once had.
Result<void> refuse_old_names(const std::vector<std::string>& words);

/// Reads the words of the command line for a number of ranks.
Result<Options> read_options(std::vector<std::string> words, Rank ranks);

/// The schedule that was asked for, fit for all calls; none where none was.
Result<SchedulePtr> schedule_for(const Options& options);

}  // namespace onceover::live
