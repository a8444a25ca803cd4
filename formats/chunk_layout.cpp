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

std::int32_t ChunkLayout::chunk_of(Block block) const {
  return chunk_.empty() || block >= header_.blocks ? block : chunk_[static_cast<std::size_t>(block)];
}

/// Does the chunk come next, in the same buffer, also where it lands?
bool ChunkLayout::goes_on(const Piece& piece, std::int32_t chunk, const std::vector<std::int32_t>& into) const {
  const std::int32_t size = piece.chunks.size();
  auto is_next = [&](std::int32_t first, std::int32_t next) { return first + size == next && next != header_.blocks; };
  return is_next(piece.chunks.first, chunk) &&
         std::equal(piece.into.begin(), piece.into.end(), into.begin(), into.end(), is_next);
}

void ChunkLayout::add_in_place(Run run, std::vector<Piece>& out) const {
  const bool is_cut = run.first < header_.blocks && run.last >= header_.blocks;
  const Run first{run.first, is_cut ? header_.blocks - 1 : run.last};
  if (!out.empty() && goes_on(out.back(), run.first, {}))
    out.back().chunks.last = first.last;
  else
    out.push_back({first});
  if (is_cut) out.push_back({{header_.blocks, run.last}});
}

void ChunkLayout::pieces_of(const Transfer& transfer, std::vector<Piece>& out) const {
  out.clear();
  if (transfer.landings == nullptr && chunk_.empty())
    return transfer.blocks.for_each_run([&](Run run) { add_in_place(run, out); });
  std::vector<std::pair<std::int32_t, std::int32_t>> moves;  // a chunk, and where it lands
  transfer.for_each_landing([&](const BlockSet& set, Block shift) {
    set.for_each_block({0, header_.all_blocks()},
                       [&](Block b) { moves.emplace_back(chunk_of(b), chunk_of(b + shift)); });
  });
  std::sort(moves.begin(), moves.end());
  std::vector<std::int32_t> into;
  for (auto move = moves.begin(); move != moves.end();) {
    const std::int32_t chunk = move->first;
    if (transfer.landings == nullptr) {
      add_in_place({chunk, chunk}, out);
      ++move;
      continue;
    }
    for (into.clear(); move != moves.end() && move->first == chunk; ++move) into.push_back(move->second);
    if (!out.empty() && goes_on(out.back(), chunk, into))
      out.back().chunks.last = chunk;
    else
      out.push_back({{chunk, chunk}, into});
  }
}

ChunkRange ChunkLayout::place(Rank rank, std::int32_t first, std::int32_t count) const {
  if (first < header_.blocks) return {work(rank), first, count};
  const std::int32_t before = work(rank) == Buffer::scratch ? header_.blocks : 0;
  return {Buffer::scratch, before + first - header_.blocks, count};
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
          .scratch = header_.scratch + (work(rank) == Buffer::scratch ? header_.blocks : 0)};
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
