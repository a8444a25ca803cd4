// The command line of `verify-mpi`, and the options that `verify live` passes on to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/option.h"
#include "live/live_call.h"
#include "schedules/schedule.h"
#include "subjects/option_values.h"

namespace onceover::live {

/// What the user said of the calls, as it was written; what isn't said is chosen.
struct Said {
  std::optional<std::string> counts = {};
  std::optional<std::string> roots = {};
  bool in_place = false;
};

struct Options {
  std::vector<LiveCall> calls = {};  // in the order of the table, then by count, then by root
  Said said = {};
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  int repeats = 2;
  int seconds = 60;  // that a call may take
  bool json = false;
  bool terms = false;
  bool full = false;
  bool is_quick = false;  // one root, one operator, nothing in place, no long messages, unless the user asks for them
  std::string part = {};  // not empty: the verdict is written to this file, for who started this run
  bool match = false;
  std::string hosts = {};     // in a simulation: each, one, or how many ranks share a host
  bool preloaded = false;     // must a library loaded before the MPI define one of the collectives?
  std::string schedule = {};  // a file; the library's terms must be those of its schedule
  std::string help = {};      // if not empty: to be printed, and nothing else done
};

/// What is called where the user doesn't say.
struct Presets {
  bool in_place = true;         // in place and not
  bool both_operators = true;   // one that commutes, and one that doesn't
  bool all_roots = false;       // each up to 8 ranks, and three beyond; else the first and the last
  bool long_messages = true;    // counts beyond 64 KiB and 1 MiB
  bool has_unbuffered = false;  // is `unbuffered` a property of what is called?
};

/// Options of calls, as words that `read_options` takes for each number of ranks.
struct CallWords {
  std::vector<Setting> given = {};  // by name; a flag has no value

  bool has(std::string_view option) const;
  std::string value(std::string_view option) const;  // empty if it isn't given
  std::vector<std::string> words() const;
};

/// A row for an option of calls; without a value it is a flag.
Option<CallWords> call_row(const std::string& name, const std::string& value, const std::string& about);

/// The options that say how a collective is called: --count and so on.
const std::vector<Option<CallWords>>& call_rows();

/// An option of `verify-mpi` that `verify live` passes on, with its heading in the help.
struct RankOption {
  std::string heading;
  Option<CallWords> row;
};

const std::vector<RankOption>& rank_options();

/// Parses 17, p, 2p, p-1, p+1, 4p+3 for a number of ranks; nothing if it is none of these. May be negative.
std::optional<std::int64_t> number_in(std::string_view text, Rank ranks);

/// Parses a list of counts such as 0,1,p-1,1000; the result is ascending.
Result<std::vector<int>> parse_counts(const std::string& text, Rank ranks);

/// Takes an option with its value, the next word or what follows `=`, out of the words; `preset` if it isn't there.
std::string take_option(std::vector<std::string>& words, const std::string& option, std::string preset);

/// A number from 1 to `most`, if the text is one.
std::optional<int> number_to(int most, const std::string& text);

/// Parses the words of the command line for a number of ranks.
Result<Options> read_options(std::vector<std::string> words, Rank ranks, const Presets& presets = {});

/// How often a call is made: long messages once, unless the user says how long they are.
int repeats_of(const Options& options, const LiveCall& call);

/// Is the count that of the whole vector, which algorithms may divide? Else it is that of each rank's part.
bool counts_whole_vector(const LiveCollective& collective);

/// "0,1,p-1,p,p+1,1000": what is called if the user doesn't say how many elements.
inline constexpr std::string_view usual_counts = "0,1,p-1,p,p+1,1000";

/// The schedule that the user asks for, which must fit all calls; null if the user asks for none.
Result<SchedulePtr> schedule_for(const Options& options);

}  // namespace onceover::live
