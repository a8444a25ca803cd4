// Where a program has the blocks of a schedule: as which chunks, in which buffers.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// The chunks that stand for the blocks of a schedule, and the buffer of each rank in which it works on them, chunk c
/// at slot c. Where that is neither where the data lies at first nor where the result must be, there are copies.
class ChunkLayout {
 public:
  /// Or why there is no layout: a collective whose ranks don't hold a whole vector before or after; owners with
  /// different numbers of blocks.
  static tl::expected<ChunkLayout, std::string> of(const Header& header, bool in_place);

  /// A copy from one buffer of a rank to another.
  struct Copy {
    ChunkRange source;
    ChunkRange target;
  };

  /// The chunks of the blocks, as maximal runs, upward.
  void chunks_of(const BlockSet& blocks, std::vector<Run>& out) const;

  Buffer work(Rank rank) const;
  Buffers sizes(Rank rank) const;                // without scratch memory for anything else
  std::vector<Copy> copies_in(Rank rank) const;  // before the first step
  std::vector<Copy> copies_out(Rank rank) const;

 private:
  explicit ChunkLayout(const Header& header, bool in_place) : header_(header), in_place_(in_place) {}

  bool splits() const;
  ChunkRange part_of(Rank rank, Buffer buffer) const { return {buffer, rank * part_, part_}; }
  ChunkRange whole(Buffer buffer) const { return {buffer, 0, header_.blocks}; }

  const Header& header_;
  bool in_place_;
  std::int32_t part_ = 0;            // blocks of an owner
  std::vector<std::int32_t> chunk_;  // of each block; empty: its own number
};

}  // namespace onceover::formats
