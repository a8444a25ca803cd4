#include "verifier/windows.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::verifier {

namespace {

/// How many moves a window of blocks should have at most, which bounds the memory for sorting a listed schedule by
/// block.
constexpr std::uint64_t window_moves = 1 << 20;

Block window_size(const Schedule& schedule, int threads) {
  const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
  const std::uint64_t moves_a_block = schedule.block_transfers() / blocks + 1;
  const std::uint64_t windows_a_thread = schedule.rescans() ? 2 : 8;
  const std::uint64_t even_share = blocks / (windows_a_thread * static_cast<std::uint64_t>(threads)) + 1;
  return static_cast<Block>(std::clamp<std::uint64_t>(window_moves / moves_a_block, 1, even_share));
}

}  // namespace

Windows::Windows(const Schedule& schedule, const std::optional<Symmetry>& symmetry, int threads, Share share)
    : blocks_(schedule.header().blocks),
      size_(window_size(schedule, threads * share.processes)),
      share_(share),
      next_(share.number) {
  if (!symmetry) return;
  const Rank places = symmetry->places();
  size_ = 1;
  symmetry_ = symmetry->text();
  for (Block lane = 0; lane < blocks_ / places; ++lane)
    for (const Rank place : symmetry->representatives()) chosen_.push_back(lane * places + place);
}

std::optional<BlockRange> Windows::next() {
  const std::int64_t first = next_.fetch_add(share_.processes) * size_;
  if (first >= size()) return std::nullopt;
  const Block begin = chosen_.empty() ? static_cast<Block>(first) : chosen_[static_cast<std::size_t>(first)];
  return BlockRange{begin, begin + static_cast<Block>(std::min<std::int64_t>(size_, size() - first))};
}

std::string Windows::text() const {
  return chosen_.empty() ? fmt::format("by {}", size_) : fmt::format("{} by {}", chosen_.size(), symmetry_);
}

}  // namespace onceover::verifier
