// Lowering: from a schedule, which says what moves in each step, to a program, which says what each rank runs.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// How ranks run a schedule.
enum class ProgramStyle : std::uint8_t {
  threads,   // a thread for each peer, direction and channel, as on GPUs; a message is one run of chunks
  requests,  // every message on its own connection, begun as soon as its data is there; sums wait in scratch memory
};

struct LoweringOptions {
  ProgramStyle style = ProgramStyle::threads;
  bool in_place = true;           // the result replaces the input; false: the input is copied first
  std::int32_t channels = 1;      // threads: connections from one rank to another, used in turn; at least 1
  std::int32_t most_chunks = 71;  // threads: of a message; a longer one is divided
  std::uint64_t bytes = 0;        // of the vector, for the sizes of messages; 0: they have no size
};

/// Larger programs aren't made, because they are held in memory.
inline constexpr std::uint64_t most_lowered_operations = std::uint64_t{1} << 23;
inline constexpr std::uint64_t most_lowered_chunks = std::uint64_t{1} << 26;  // of all ranks together

/// Why a schedule has no program, or no file of a format.
struct NotLowered {
  enum class Kind : std::uint8_t {
    unfit,       // programs, or the format, can't express what it does
    ill_formed,  // a transfer names a rank or block that doesn't exist
    too_large,
  };
  Kind kind;
  std::string why;
};

/// The program of a schedule, or why it has none: an alltoall, scatter or gather; owners with different numbers of
/// blocks; transfers that aren't well-formed (ranks and blocks out of range, self-transfers); too large.
///
/// Block b of owner r, the k-th of r's n blocks, becomes chunk r*n + k. So the parts of the ranks are neighbours, as in
/// MPI's collectives. In collectives that don't split the vector, block b is chunk b.
///
/// All transfers of a step read what the step began with. So within a step, a rank's sends come before its receives,
/// which keep the order of the schedule, and `dependencies` order what touches the same chunk in another thread. With
/// `threads`, a chunk is received where it will be used, so its old value must be on its way before. On FIFOs of depth
/// 0 (rendezvous), two ranks that exchange sums of the same chunk therefore wait for each other. With `requests`, sums
/// arrive in scratch memory of their own and operations of their own add them, so rendezvous works.
///
/// `dependencies` are few: those that others imply are left out (`threads`), or those that name the same two operations
/// (`requests`). O(block transfers) time and memory, times the threads of a rank that a message meets.
tl::expected<Program, NotLowered> lower(const Schedule& schedule, const LoweringOptions& options);

}  // namespace onceover::formats
