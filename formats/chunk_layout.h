// ChunkLayout: the buffers and chunks in which a program holds the blocks of a schedule.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// The chunks that stand for the blocks of a schedule, and the buffer in which each rank works on them, chunk c at slot
/// c. If the data starts elsewhere, or the result must end elsewhere, there are copies.
class ChunkLayout {
 public:
  /// The layout, or why there is none: a collective whose ranks hold a whole vector neither before nor after, or owners
  /// with different numbers of blocks.
  static tl::expected<ChunkLayout, std::string> of(const Header& header, bool in_place);

  /// A copy from one buffer of a rank to another.
  struct Copy {
    ChunkRange source;
    ChunkRange target;
  };

  /// The chunks of the blocks, as maximal runs, ascending.
  void chunks_of(const BlockSet& blocks, std::vector<Run>& out) const;

  Buffer work(Rank rank) const;
  Buffers sizes(Rank rank) const;                // with no scratch memory for other purposes
  std::vector<Copy> copies_in(Rank rank) const;  // before the first step
  std::vector<Copy> copies_out(Rank rank) const;

 private:
  explicit ChunkLayout(const Header& header, bool in_place) : header_(header), in_place_(in_place) {}

  bool splits() const;
  ChunkRange part_of(Rank rank, Buffer buffer) const { return {buffer, rank * part_, part_}; }
  ChunkRange whole(Buffer buffer) const { return {buffer, 0, header_.blocks}; }

  const Header& header_;
  bool in_place_;
  std::int32_t part_ = 0;            // how many blocks an owner has
  std::vector<std::int32_t> chunk_;  // by block; empty: the block's own number
};

}  // namespace onceover::formats
