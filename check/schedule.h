// A schedule as its file describes it (docs/schedule-file.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
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

/// The blocks first .. last are in a transfer and land in first + shift .. last + shift. No two blocks of a transfer
/// land in one.
struct Run {
  std::uint32_t first, last, transfer;
  std::int32_t shift;
};

/// Ranks first .. end-1.
struct Ranks {
  std::uint32_t first, end;
  bool contains(std::uint64_t rank) const { return first <= rank && rank < end; }
};

/// Memory: 16 bytes a transfer, 20 a run, 4 an owner: a few times the file, whatever sizes it names; with scratch, 12
/// more a block.
struct Schedule {
  Collective collective;
  std::uint32_t ranks, blocks, root, scratch, version;  // scratch: blocks from `blocks` on, which start empty
  std::vector<std::uint32_t> owners;                    // empty: block mod ranks
  std::vector<Transfer> transfers;                      // in the order of the file
  std::vector<Run> runs;                                // sorted by first block
  std::vector<std::uint32_t> reach;                     // by run: the last block of its subtree (see `transfers_of`)

  // The groups of blocks that exchange values: each block's lowest one, and both as pairs, sorted. Empty without
  // scratch: each block is alone.
  std::vector<std::uint32_t> lowest;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> members;

  Ranks ranks_of(Who who, std::uint32_t block) const;

  std::uint64_t all_blocks() const { return std::uint64_t{blocks} + scratch; }

  /// The block, then the others of its group, ascending. Scratch that nothing promised flows into or out of belongs to
  /// block 0.
  std::vector<std::uint32_t> slots_of(std::uint32_t block) const;

  /// The moves of the slots' values, in the order of the transfers, then of how far they land, then of blocks. Their
  /// src and dst are cells: slot * ranks + rank. O(moves * log).
  std::vector<Transfer> transfers_of(const std::vector<std::uint32_t>& slots) const;
};

/// Throws a malformed Outcome. Ignores what doesn't matter for the verdict: shape, algorithm, lane, and a root if the
/// collective has none.
Schedule read_schedule(const Text& text);

}  // namespace check
