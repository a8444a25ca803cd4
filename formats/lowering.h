// From a schedule, which says what moves in each step, to a program, which says what each rank runs.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// How ranks run what a schedule says.
enum class ProgramStyle : std::uint8_t {
  threads,   // a thread for each peer, direction and channel, as GPUs run them; a message is one run of chunks
  requests,  // every message on its own connection, begun as soon as its data is there; sums wait in scratch memory
};

struct LoweringOptions {
  ProgramStyle style = ProgramStyle::threads;
  bool in_place = true;           // the result is made where the data lies; false: the input is copied first
  std::int32_t channels = 1;      // threads: connections of each two ranks, used in turn; 1 or more
  std::int32_t most_chunks = 71;  // threads: of a message; what is longer goes in several
  std::uint64_t bytes = 0;        // of the vector, for the sizes of messages; 0: sizes aren't told
};

/// The most operations and chunks that are lowered: programs are held in memory.
inline constexpr std::uint64_t most_lowered_operations = std::uint64_t{1} << 23;
inline constexpr std::uint64_t most_lowered_chunks = std::uint64_t{1} << 26;  // of all ranks together

/// Why a schedule has no program.
struct NotLowered {
  enum class Kind : std::uint8_t {
    unfit,       // programs, or the format, can't say what it does
    ill_formed,  // a transfer names what isn't there
    too_large,
  };
  Kind kind;
  std::string why;
};

/// The program of a schedule, or why it has none: an alltoall, scatter or gather; owners with different numbers of
/// blocks; transfers that aren't well-formed (ranks and blocks out of range, self-transfers); too large.
///
/// Block b of owner r, the k-th of r's n blocks, becomes chunk r*n + k, so that the parts of the ranks are neighbours
/// as the collectives of MPI have them; in collectives that don't split the vector, block b is chunk b.
///
/// All transfers of a step read what the step began with: of what a rank does in a step, its sends come before its
/// receives, which keep the order of the schedule, and what touches the same chunk in another thread is ordered by
/// `orders`. With `threads`, a chunk is received where it will be used, so its old value must be on its way before: at
/// FIFOs of depth 0 (rendezvous) two ranks that exchange sums of the same chunk wait for each other. With `requests`,
/// sums are received into scratch memory of their own and added by operations of their own, so that rendezvous is no
/// problem.
///
/// `orders` are few: what another order implies is left out (`threads`), or what names the same two (`requests`).
/// O(block transfers) time and memory, times the threads of a rank that a message meets.
tl::expected<Program, NotLowered> lower(const Schedule& schedule, const LoweringOptions& options);

}  // namespace onceover::formats
