// Threads, blocks and kernels that run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gpu/launch/launch.h"
#include "gpu/machine/code.h"
#include "gpu/memory/region.h"
#include "gpu/schedule/choices.h"

namespace onceover::gpu {

/// The first of the bytes of a cell that a write or a read is of.
using SeenPlace = const char*;

/// A function that called another one.
struct CallFrame {
  const CodeFunction* function;
  std::uint32_t pc;  // of the call
  std::vector<Value> registers;
  std::unique_ptr<Region> params;
};

/// A thread before a read, where it may go back to.
struct ReadPoint {
  struct Read {
    TrackedCell* cell;
    TracePointer version;  // CellSync::trace then
  };

  const CodeFunction* function = nullptr;
  std::uint32_t pc = 0;
  std::vector<Value> registers;
  ThreadSync sync;
  std::unordered_map<SeenPlace, std::uint64_t> seen;
  ClockPointer visible;
  TraceClock trace;
  std::vector<Read> reads;           // of the access there
  std::vector<std::size_t> asks;     // choices of others to wait for it, which count unless it was in vain
  std::vector<std::uint32_t> woken;  // threads that waited for it
  bool has_read_older = false;       // did it choose older values than the latest?
};

enum class ThreadState : std::uint8_t {
  runs,
  at_barrier,
  gathers,     // at an aligned barrier, to which its warp comes together
  at_warp,     // at an operation of its warp, such as a shuffle
  at_cluster,  // at the barrier of its cluster
  parked,      // spins: until one of the cells that it reads changes
  ended,
};

struct KernelState;
struct BlockState;

struct ThreadContext {
  std::uint32_t id = 0;
  std::uint32_t index = 0;  // in its block
  ThreadState state = ThreadState::runs;
  const CodeFunction* function = nullptr;
  std::uint32_t pc = 0;
  Value* registers = nullptr;
  std::vector<Value> own_registers;  // of a called function
  std::unique_ptr<Region> params;    // of the function: what it passes to others, and what a called one was given
  std::unique_ptr<Region> local;
  std::vector<CallFrame> frames;
  ThreadSync sync;

  std::uint32_t barrier = 0;    // where it waits
  std::uint32_t warp_mask = 0;  // of the operation where it waits

  std::uint32_t cluster_phase = 0;  // of the barrier of its cluster, where it arrived last
  bool owes_cluster_wait = false;   // it has arrived there, and not waited yet

  // Of runs with older values: which write to a cell it read or wrote last, and what fences made visible.
  std::unordered_map<SeenPlace, std::uint64_t> seen;
  ClockPointer visible;

  // Of runs through all interleavings.
  TraceClock trace;
  std::vector<ReadPoint> read_points;    // since it did anything but read
  const TrackedCell* awaited = nullptr;  // of this cell it must read a later write
  std::uint64_t awaited_from = 0;        // than those before this one

  // Does the loop that it is in repeat itself?
  std::int64_t loop = -1;          // the latest branch back
  std::uint64_t loads = 0;         // a hash of what the round of the loop read
  std::uint64_t loads_before = 0;  // of the round before
  bool has_acted = true;           // did the round write, or read an older value?
  std::uint32_t patience = 0;      // rounds to go before it may be parked
  bool is_in_last_round = false;   // before it is parked
  std::vector<Value> last_round;   // its registers when that began
  bool has_read_clock = false;     // in this round?
  bool counts = false;             // parked: did a round change what it needs? Then it may end the loop by itself
  bool has_had_patience = false;   // since what it reads changed
  std::vector<TrackedCell*> watched;
  Region* spin_region = nullptr;  // of the latest load
  std::uint64_t spin_offset = 0;
  std::uint64_t spin_bits = 0;
  std::uint32_t spin_pc = 0;
};

/// One of the sixteen barriers of a block.
struct BarrierState {
  std::vector<std::uint32_t> waiting;  // threads of the block
  std::uint32_t here = 0;              // threads that have come, with those that don't wait
  std::uint32_t expected = 0;          // threads that it waits for; 0 for all
  ClockPointer arrivals;               // what those that don't wait know; null for none
  ClockPointer arrival_reads;
  TraceClock arrival_trace;
};

/// The barrier of a cluster. All threads that haven't ended arrive in a phase before any may go on from its wait.
struct ClusterBarrier {
  std::uint32_t phase = 0;  // the one that is under way
  std::uint32_t arrived = 0;
  ClockPointer arrivals;  // what those know that arrived in it with release; null for none
  ClockPointer arrival_reads;
  ClockPointer known;  // of the phase before
  ClockPointer known_reads;
  std::vector<std::uint32_t> waiting;  // ids of threads
};

/// A block that runs, in its seat.
struct BlockState {
  KernelState* kernel = nullptr;
  std::uint32_t seat = 0;
  std::uint32_t index = 0;  // in the grid
  std::uint32_t live = 0;   // threads that haven't ended
  std::uint32_t generation = 1;
  std::vector<ThreadContext> threads;
  std::vector<Value> registers;
  std::unique_ptr<Region> shared;
  std::array<BarrierState, 16> barriers;
  std::array<TraceClock, 16> barrier_traces;  // of what each barrier last waited for, if that wasn't the whole block
};

/// A grid that runs.
struct KernelState {
  const KernelRun* run = nullptr;
  const CodeFunction* entry = nullptr;
  Rank rank = 0;
  std::uint32_t call = 0;
  std::uint32_t first_seat = 0;
  std::uint32_t next_block = 0;
  std::uint32_t live_blocks = 0;
  std::unique_ptr<Region> arguments;
  std::map<std::uint32_t, ClusterBarrier> cluster_barriers;  // by cluster, where one was used
  ClockPointer launch;                                       // what happened before
  ClockPointer launch_reads;
  std::shared_ptr<Clock> end;  // what its ended blocks know
  std::shared_ptr<Clock> end_reads;
  TraceClock trace;  // the same in all interleavings: before, and of ended blocks
  TraceClock end_trace;
};

}  // namespace onceover::gpu
