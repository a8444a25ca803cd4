// Runs a program under SimGrid's SMPI, where all ranks share one process: on which machine, which calls, and what the
// simulator lacks or gets wrong. Right code that meets such a defect can't be judged, and doesn't fail.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/executable.h"
#include "code/record.h"
#include "live/live_call.h"

namespace onceover::code {

/// Which ranks share a host, as the user says it for every number of ranks: a placement of ranks on hosts, in the order
/// of the ranks: "each" (one on each), "one" (all on one), "4" (four on each, the rest on the last), or how many on
/// each, such as "1,3" or "1,p-1".
class Hosts {
 public:
  static Result<Hosts> parse(const std::string& text);

  /// How many ranks each host has. An error if the numbers of a list don't sum to `ranks`.
  Result<std::vector<Rank>> sizes(Rank ranks) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_ = "each";
  Rank on_each_ = 1;  // of a list 0
};

/// One rank on each host.
std::vector<Rank> own_hosts(Rank ranks);

/// The machine that is simulated.
struct Machine {
  Rank ranks = 1;
  std::vector<Rank> hosts = {};  // how many ranks each has, in their order, which share memory as MPI_Comm_split_type
                                 // sees it; empty: one each
  bool buffers_sends = true;     // false: a send waits for its receive
};

/// The communicator that a call is made on.
enum class Communicator : std::uint8_t {
  world,      // MPI_COMM_WORLD
  copy,       // a copy of it
  backwards,  // rank r is rank p - 1 - r of MPI_COMM_WORLD
};

/// As `--communicators` takes it.
std::string_view name(Communicator communicator);

/// How a call is made: its communicator, when ranks begin it, and which digits its numbers have.
struct PlannedCall {
  live::LiveCall call;
  Communicator communicator = Communicator::world;
  unsigned order = 0;  // 0: all ranks begin at once; else each begins at a time drawn from this seed
  int window = 0;      // see digits.h
  int round = 0;
  std::vector<std::string> environment = {};  // "NAME=value", without spaces: what the code finds, as later calls do
};

/// How a run of the program ended.
struct Ended {
  enum class How {
    whole,     // every rank made all calls
    deadlock,  // every rank waits
    hung,      // longer than the limit
    crashed,   // a signal, or an exit before the end
    full,      // the ledger took more than its limit
    lacking,   // the simulator doesn't have the function that `text` names
  };
  How how;
  std::string text;  // what the program said last, or its exit code
};

/// Makes the calls from number `first` on. O(messages) of the simulator's time.
struct Ran {
  Ended end;
  Record record;
};
Result<Ran> simulate(const Executable& program, const Machine& machine, std::span<const PlannedCall> calls,
                     std::size_t first, int seconds);

/// What the simulator gets wrong, in words; `number` is one of onceover_defect.
///
/// The recorder asks which of them the installed simulator has (runtime/probes.c). Results that it loses are elements
/// that nobody can judge; all else about the call is judged.
std::string_view defect_text(int number);

/// May a deadlock be the simulator's? It may if every rank that waits does so for a message that may be lost, or for a
/// rank that waits for one.
bool may_wait_for_lost(const CallRecord& made);

/// Does the simulator lose persistent sends of no data? Runs a probe.
Result<bool> loses_starts(const Executable& program);

/// Which simulator: "SimGrid 3.32".
std::string simulator_name();

}  // namespace onceover::code
