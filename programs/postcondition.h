// What a program's collective promises for each chunk, and the memory in which chunks lie.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "formats/program.h"
#include "verifier/counterexample.h"
#include "verifier/promise.h"

namespace onceover::programs {

/// A place in memory for one chunk, 0 .. cells-1, over all ranks. If input and output share memory, a chunk of both is
/// one cell.
using Cell = std::uint32_t;

/// The places of the buffers' chunks. O(1) for each call; memory O(ranks).
class Memory {
 public:
  /// `in_place`: do input and output share memory? `Program` says which chunks they share.
  Memory(const Program& program, bool in_place);

  /// The first cell of the chunks, which follow one another; nothing if the buffer lacks any of them.
  std::optional<Cell> cell(Rank rank, const ChunkRange& range) const;

  /// A cell in words: "o[3]", or "i[3]=o[3]" if it is both.
  std::string text(Rank rank, Cell cell) const;

  std::uint32_t cells() const { return first_.back(); }
  Cell first_of(Rank rank) const { return first_[static_cast<std::size_t>(rank)]; }

 private:
  struct Offsets {
    std::uint32_t input;  // from the rank's first cell
    std::uint32_t output;
    std::uint32_t scratch;
  };

  const Program& program_;
  std::vector<Offsets> offsets_;
  std::vector<Cell> first_;  // by rank, and one past the last
};

/// What a program's collective promises, in chunks.
Promise promise_of(const Program& program);

/// What a chunk of a rank's output must hold in the end, in chunks of inputs.
struct Postcondition {
  std::int32_t output;  // the chunk of the rank's output
  Owed owed;            // by some rank; valid as long as the promise
};

/// What a rank must end with, chunk by chunk; empty if the collective asks nothing of it.
std::vector<Postcondition> postconditions(const Program& program, const Promise& promise, Rank rank);

/// The chunk's number among all chunks of the collective, as schedules count blocks.
Block block_of(const Program& program, Rank rank, const Postcondition& postcondition);

/// The source and destination of an alltoall's chunk; nothing for other collectives.
std::optional<verifier::Counterexample::Route> route_of(const Program& program, Rank rank,
                                                        const Postcondition& postcondition);

}  // namespace onceover::programs
