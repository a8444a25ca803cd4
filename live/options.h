// The command line of `verify-mpi`, and the options that `verify live` passes on to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "live/live_call.h"
#include "schedules/schedule.h"

namespace onceover::live {

struct Options {
  std::vector<LiveCall> calls = {};  // in the order of the table, then by count, then by root
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  int repeats = 2;
  int seconds = 60;  // that a call may take
  bool json = false;
  bool terms = false;
  bool full = false;
  bool match = false;
  std::string hosts = {};     // in a simulation: each, one, or how many ranks share a host
  bool preloaded = false;     // must a library loaded before the MPI define one of the collectives?
  std::string schedule = {};  // a file; the library's terms must be those of its schedule
  std::string help = {};      // if not empty: to be printed, and nothing else done
};

/// Parses a list of counts such as 0,1,p-1,1000; the result is ascending.
Result<std::vector<int>> parse_counts(const std::string& text, Rank ranks);

/// Takes an option with its value, the next word or what follows `=`, out of the words; `preset` if it isn't there.
std::string take_option(std::vector<std::string>& words, const std::string& option, std::string preset);

/// A number from 1 to `most`, if the text is one.
std::optional<int> number_to(int most, const std::string& text);

/// Refuses options by names that they no longer have.
Result<void> refuse_old_names(const std::vector<std::string>& words);

/// Parses the words of the command line for a number of ranks.
Result<Options> read_options(std::vector<std::string> words, Rank ranks);

/// The schedule that the user asks for, which must fit all calls; null if the user asks for none.
Result<SchedulePtr> schedule_for(const Options& options);

}  // namespace onceover::live
