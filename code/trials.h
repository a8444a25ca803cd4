// Trials: the calls that are made of code for a number of ranks, on which machines, and the words for what was tried.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/hosts.h"
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

/// What became known of the code by the trials.
struct KnownOfCode {
  std::string buffering = {};  // "relies on buffering: ring.c:41"
  std::optional<std::string> in_place =
      {};  // where it takes MPI_IN_PLACE for a buffer, so that it isn't judged in place
};

/// The trials for a number of ranks. The calls that the options list come first, as the first calls of the first trial.
Result<std::vector<CodeTrial>> trials(const Asked& asked, const live::Options& options, Rank ranks);

/// What was tried, in words: "p = 2..8; counts 0, 1, ..; in place and not; ..".
std::string scope_text(const Asked& asked, const live::Options& options, std::span<const Rank> ranks,
                       const KnownOfCode& known);

/// What a user may want to know that it wasn't tried, with the option that tries it.
std::vector<std::string> not_tried(const Asked& asked, const live::Options& options, const KnownOfCode& known);

}  // namespace onceover::code
