// The memory of a program's ranks, once for each place of its buffers, and who used it last.
#pragma once

#include <map>
#include <vector>

#include "check/cursor.h"
#include "check/program.h"

namespace check {

/// How far chains certainly are: threads, and reads of sends that may come after their steps.
using Known = std::map<std::uint64_t, std::uint32_t>;

inline std::uint32_t known_of(const Known& known, std::uint64_t chain) {
  const auto found = known.find(chain);
  return found == known.end() ? 0 : found->second;
}

inline void join(Known& known, const Known& other) {
  for (const auto& [chain, value] : other) known[chain] = std::max(known[chain], value);
}

/// A use of memory by a step; it is over when the chain has come to the value.
struct StepUse {
  std::uint64_t chain;
  std::uint32_t value;
  std::uint64_t step;  // of one step all are one
};

using Summands = std::vector<std::uint32_t>;  // sorted: chunks of inputs; empty: nothing has set it

class ProgramMemory {
 public:
  /// Throws if the ranks have more than 2^24 chunks.
  ProgramMemory(const ProgramFile& file, bool in_place, const Cursor& at);

  /// Reads chunks. Throws if one isn't there or not set, or if the last write isn't known to be over.
  std::vector<Summands> read(std::uint64_t rank, const Chunks& chunks, const StepUse& use, const Known& known,
                             const Cursor& at);

  /// Writes chunks. Throws if the last write or a read since then isn't known to be over.
  void write(std::uint64_t rank, const Chunks& chunks, const std::vector<Summands>& values, const StepUse& use,
             const Known& known, const Cursor& at);

  /// Throws if a step reads and writes chunks that overlap and aren't the same.
  void check_ranges(std::uint64_t rank, const Part& part, const Cursor& at) const;

  /// Adds two values; throws if a contribution would be in it twice.
  static Summands sum(const Summands& a, const Summands& b, const Cursor& at);

  /// Throws if a chunk of an output isn't as promised.
  void check_results(const Cursor& at) const;

 private:
  struct Chunk {
    Summands value = {};
    std::vector<StepUse> writer = {};  // the last, if there is one
    std::vector<StepUse> readers = {};
  };

  std::uint64_t first(std::uint64_t rank, const Chunks& chunks, const Cursor& at) const;
  std::uint32_t leaf(std::uint64_t rank, std::uint64_t chunk) const;

  const ProgramFile& file_;
  bool in_place_;
  std::vector<std::uint64_t> first_;  // by rank, and one past the last
  std::vector<Chunk> chunks_;
};

}  // namespace check
