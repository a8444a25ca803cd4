// A schedule as its file describes it (docs/schedule-file.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "check/certificate.h"

namespace check {

/// The ranks that a collective names for a block. Origin: block s*ranks + d of an alltoall starts at rank s.
enum class Who { everyone, owner, root, origin };

/// Each rank of `begins` holds its contribution to a block; each of `ends` must end with all of them, each once.
struct Collective {
  std::string_view name;
  Who begins, ends;
};

struct Transfer {
  std::uint32_t step, src, dst;
  bool reduces;  // false: it copies
};

/// The blocks first .. last are in a transfer, whose runs don't overlap.
struct Run {
  std::uint32_t first, last, transfer;
};

/// Ranks first .. end-1.
struct Ranks {
  std::uint32_t first, end;
  bool contains(std::uint64_t rank) const { return first <= rank && rank < end; }
};

/// Memory: 16 bytes a transfer, 12 a run, 4 an owner: a few times the file, whatever sizes it names.
struct Schedule {
  Collective collective;
  std::uint32_t ranks, blocks, root;
  std::vector<std::uint32_t> owners;  // empty: block mod ranks
  std::vector<Transfer> transfers;    // in the order of the file
  std::vector<Run> runs;              // sorted by first block

  Ranks ranks_of(Who who, std::uint32_t block) const;
};

/// Throws a malformed Outcome. Ignores what doesn't matter for the verdict: shape, algorithm, lane, and a root if the
/// collective has none.
Schedule read_schedule(const Text& text);

}  // namespace check
