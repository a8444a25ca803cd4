// Runs a program under SimGrid's SMPI, where all ranks share one process.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/executable.h"
#include "code/record.h"
#include "live/live_call.h"

namespace onceover::code {

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
    lacking,   // the simulator doesn't have the function that `told` names
  };
  How how;
  std::string told;  // what the program said last, or its exit code
};

/// Makes the calls from number `first` on. O(messages) of the simulator's time.
struct Ran {
  Ended end;
  Record record;
};
Result<Ran> simulate(const Executable& program, const Machine& machine, std::span<const PlannedCall> calls,
                     std::size_t first, int seconds);

/// Does the simulator lose persistent sends of no data (defects.h)? Runs a probe.
Result<bool> loses_starts(const Executable& program);

/// Which simulator: "SimGrid 3.32".
std::string simulator_name();

}  // namespace onceover::code
