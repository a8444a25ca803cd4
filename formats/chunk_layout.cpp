#include "formats/chunk_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::formats {

namespace {

/// Numbers the blocks owner by owner. Empty if the owners have different numbers of blocks.
std::vector<std::int32_t> by_owner(const Header& header) {
  const std::int32_t part = header.blocks / header.ranks;
  std::vector<std::int32_t> taken(static_cast<std::size_t>(header.ranks), 0);
  std::vector<std::int32_t> chunks;
  for (Block b = 0; b < header.blocks; ++b) {
    const Rank owner = header.owner(b);
    std::int32_t& k = taken[static_cast<std::size_t>(owner)];
    if (k == part) return {};
    chunks.push_back(owner * part + k++);
  }
  return header.blocks % header.ranks == 0 ? chunks : std::vector<std::int32_t>();
}

void append(std::vector<Run>& runs, Run run) {
  if (!runs.empty() && runs.back().last + 1 == run.first)
    runs.back().last = run.last;
  else
    runs.push_back(run);
}

}  // namespace

bool ChunkLayout::splits() const {
  return header_.collective == Collective::reduce_scatter || header_.collective == Collective::allgather;
}

tl::expected<ChunkLayout, std::string> ChunkLayout::of(const Header& header, bool in_place) {
  if (is_carried(header.collective))
    return tl::unexpected(
        fmt::format("programs are made of allreduce, reduce-scatter, allgather, broadcast and "
                    "reduce, not of {}",
                    name(header.collective)));
  ChunkLayout layout(header, in_place);
  if (!layout.splits()) return layout;
  layout.part_ = header.blocks / header.ranks;
  layout.chunk_ = by_owner(header);
  if (layout.chunk_.empty())
    return tl::unexpected(
        fmt::format("a program needs as many blocks of each owner, to be {} of each; they are {} in "
                    "all, of {} ranks",
                    name(header.collective), header.blocks, header.ranks));
  return layout;
}

void ChunkLayout::chunks_of(const BlockSet& blocks, std::vector<Run>& out) const {
  out.clear();
  if (chunk_.empty()) return blocks.for_each_run([&](Run run) { append(out, run); });
  std::vector<std::int32_t> chunks;
  blocks.for_each_block({0, header_.blocks}, [&](Block b) { chunks.push_back(chunk_[static_cast<std::size_t>(b)]); });
  std::sort(chunks.begin(), chunks.end());
  for (const std::int32_t chunk : chunks) append(out, {chunk, chunk});
}

// Unless it runs in place, a reduce-scatter doesn't change its input. Ranks that only help to reduce don't change
// theirs either.
Buffer ChunkLayout::work(Rank rank) const {
  if (header_.collective == Collective::reduce_scatter) return in_place_ ? Buffer::input : Buffer::scratch;
  if (header_.collective == Collective::reduce && rank != header_.root) return Buffer::scratch;
  return Buffer::output;
}

Buffers ChunkLayout::sizes(Rank rank) const {
  const Collective collective = header_.collective;
  return {.input = collective == Collective::allgather ? part_ : header_.blocks,
          .output = collective == Collective::reduce_scatter ? part_ : header_.blocks,
          .scratch = work(rank) == Buffer::scratch ? header_.blocks : 0};
}

std::vector<ChunkLayout::Copy> ChunkLayout::copies_in(Rank rank) const {
  if (work(rank) == Buffer::scratch) return {{whole(Buffer::input), whole(Buffer::scratch)}};
  if (in_place_) return {};
  if (header_.collective == Collective::allgather) return {{{Buffer::input, 0, part_}, part_of(rank, Buffer::output)}};
  if (header_.collective == Collective::broadcast && rank != header_.root) return {};
  return {{whole(Buffer::input), whole(Buffer::output)}};
}

std::vector<ChunkLayout::Copy> ChunkLayout::copies_out(Rank rank) const {
  if (header_.collective != Collective::reduce_scatter || in_place_) return {};
  return {{part_of(rank, Buffer::scratch), {Buffer::output, 0, part_}}};
}

}  // namespace onceover::formats
