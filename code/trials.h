// Trials: what the user says of code, as options of `verify code`, and the calls that are made of it on which machines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "code/digits.h"
#include "code/executable.h"
#include "code/simulator.h"
#include "live/options.h"

namespace onceover::code {

/// What the user says about the calls, besides the options that live/options.h reads. What isn't said is chosen, so
/// that each thing is tried at least once.
struct Asked {
  std::vector<Communicator> communicators = {};  // empty: not said
  std::optional<Hosts> hosts = {};
  int orders = 0;                // so many times more, with ranks that begin at other times
  bool is_quick = false;         // what is chosen is only the least
  bool is_unbuffered = false;    // a send waits for its receive, in all calls
  bool has_digits = false;       // see digits.h
  bool avoids_in_place = false;  // nothing in place, for code that isn't meant for it
};

/// What options say of code, and of how it is run and called.
struct CodeOptions {
  Sources sources = {};  // all but its elements
  bool has_numbers = false;
  Asked asked = {};
  live::CallWords calls = {};

  /// The sources, with elements in the place of numbers if an option asks for that.
  Sources with_elements() const;
};

/// The options of how code is built, of calls besides live/options.h, and of machines.
const std::vector<Option<CodeOptions>>& build_options();
const std::vector<Option<CodeOptions>>& trial_options();
const std::vector<Option<CodeOptions>>& machine_options();

/// The option of that name among these and those of calls, or "link", for files besides the source; null if there is
/// none.
const Option<CodeOptions>* find_code_option(std::string_view name);

/// The collective of that name, as `--collective` takes it.
Result<const live::LiveCollective*> parse_live_collective(const std::string& name);

/// How often calls are made with ranks that begin at other times: 0 to 1000.
Result<int> parse_orders(const std::string& text);

/// A list of world, copy and backwards, each once: the communicators that calls are made on.
Result<std::vector<Communicator>> parse_communicators(const std::string& text);

/// An error unless the text is a name in C.
Result<void> check_function(const std::string& name);

/// Digits show MPI_SUM, which commutes: an error if an operator of these calls doesn't.
Result<void> check_digits(const live::Options& options);

/// Are all calls made with 0 elements? Then there is no result to judge.
bool are_empty(const live::Options& options);

/// The calls that `words`, options of the command line, ask for. Where they don't say which roots: each up to 8 ranks
/// and three beyond, or rank 0 alone if `is_quick`.
Result<live::Options> call_options(std::vector<std::string> words, Rank ranks, bool is_quick);

/// More elements than fit into 64 KiB, from where on libraries send in another way.
constexpr int long_message = 8193;

/// A call, and how it is made: `repeats` times on each communicator, and `orders` times with ranks that begin at other
/// times.
struct CallTries {
  live::LiveCall call;
  std::vector<Communicator> communicators = {Communicator::world};
  int repeats = 1;
  int orders = 0;
  bool is_offered = false;  // in place, though the user didn't ask: the code may take MPI_IN_PLACE for a buffer
  std::vector<std::string> environment = {};  // "NAME=value": what the code finds
  std::string setting = {};                   // what is special about the call besides
};

/// Calls on one machine, which share a process.
struct CodeTrial {
  Machine machine;
  std::vector<CallTries> calls;
  std::string setting = {};       // what is special about the machine: "hosts 1,3"
  bool judges_buffering = false;  // a deadlock isn't a fault: property `unbuffered` fails
};

/// The calls that the options list, on MPI_COMM_WORLD, and no others.
CodeTrial plain_trial(const Machine& machine, const live::Options& options);

/// The trials for a number of ranks. The calls that the options list come first, as the first calls of the first trial.
Result<std::vector<CodeTrial>> trials(const Asked& asked, const live::Options& options, Rank ranks);

}  // namespace onceover::code
