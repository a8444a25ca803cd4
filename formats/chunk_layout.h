// ChunkLayout: the buffers and chunks in which a program holds the blocks of a schedule.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// Neighbouring chunks of a transfer that land as neighbours, too.
struct Piece {
  Run chunks;
  std::vector<std::int32_t> into = {};  // the first chunk of each place where they land; empty: where they are

  /// The first chunk of each place where they land.
  std::vector<std::int32_t> targets() const { return into.empty() ? std::vector{chunks.first} : into; }
};

/// The chunks that stand for the blocks of a schedule, and the buffer in which each rank works on them, chunk c at slot
/// c. If the data starts elsewhere, or the result must end elsewhere, there are copies.
///
/// A schedule's scratch blocks are chunks with the blocks' own numbers. They lie in the scratch buffer, at its start or
/// after the chunks that a rank works on there.
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

  /// Replaces `out` with the chunks of a transfer, ascending, in as few pieces as can be. O(runs), or O(blocks log
  /// blocks) if they land elsewhere or are numbered anew.
  void pieces_of(const Transfer& transfer, std::vector<Piece>& out) const;

  std::int32_t chunk_of(Block block) const;

  /// Where a rank has chunks of a piece, or where they land.
  ChunkRange place(Rank rank, std::int32_t first, std::int32_t count) const;

  Buffers sizes(Rank rank) const;                // with no scratch memory for other purposes
  std::vector<Copy> copies_in(Rank rank) const;  // before the first step
  std::vector<Copy> copies_out(Rank rank) const;

 private:
  explicit ChunkLayout(const Header& header, bool in_place) : header_(header), in_place_(in_place) {}

  bool splits() const;
  Buffer work(Rank rank) const;
  bool goes_on(const Piece& piece, std::int32_t chunk, const std::vector<std::int32_t>& into) const;
  void add_in_place(Run run, std::vector<Piece>& out) const;
  ChunkRange part_of(Rank rank, Buffer buffer) const { return {buffer, rank * part_, part_}; }
  ChunkRange whole(Buffer buffer) const { return {buffer, 0, header_.blocks}; }

  const Header& header_;
  bool in_place_;
  std::int32_t part_ = 0;            // how many blocks an owner has
  std::vector<std::int32_t> chunk_;  // by block, without scratch; empty: the block's own number
};

}  // namespace onceover::formats
