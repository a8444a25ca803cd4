#include "schedules/patterned_schedule.h"

#include <algorithm>
#include <cassert>

namespace onceover {

namespace {

Rank around(std::int64_t x, Rank ring) {
  const auto r = static_cast<Rank>(x % ring);
  return r < 0 ? r + ring : r;
}

Rank wrapped(Rank x, Rank ring) {
  return x >= ring ? x - ring : x;
}

std::vector<Run> runs_of(const std::vector<Block>& sorted) {
  std::vector<Run> runs;
  for (const Block x : sorted) {
    if (!runs.empty() && runs.back().last + 1 == x)
      runs.back().last = x;
    else
      runs.push_back({x, x});
  }
  return runs;
}

std::vector<Block> sorted_around(std::vector<Block> offsets, Block modulus) {
  for (Block& x : offsets) x = around(x, modulus);
  std::sort(offsets.begin(), offsets.end());
  assert(std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end());
  return offsets;
}

}  // namespace

OffsetSet::OffsetSet(std::vector<Block> offsets, Block modulus, Rank stride) {
  assert(modulus % stride == 0);
  const std::vector<Block> sorted = sorted_around(std::move(offsets), modulus);
  runs_ = runs_of(sorted);
  size_ = static_cast<Block>(sorted.size());
  stretches_.resize(static_cast<std::size_t>(stride));
  for (const Block x : sorted) {
    auto& stretches = stretches_[static_cast<std::size_t>(x % stride)];
    if (!stretches.empty() && stretches.back().first + stretches.back().count * stride == x)
      ++stretches.back().count;
    else
      stretches.push_back({x, 1});
  }
}

void PatternedSchedule::Builder::add(Pattern p) {
  assert(!steps_.empty());
  if (p.indices.count <= 0 || p.blocks.offsets.empty()) return;
  auto settled = [&](Place place) { return place.moves ? Place::by(around(place.offset, p.ring)) : place; };
  const Block modulus = p.blocks.move ? p.ring : max_blocks;
  const Rank stride = p.blocks.move ? p.indices.stride : 1;
  auto blocks = std::make_shared<const OffsetSet>(std::move(p.blocks.offsets), modulus, stride);
  steps_.back().push_back(
      {p.indices, p.ring, settled(p.from), settled(p.to), p.blocks.move, std::move(blocks), p.op, p.lane});
}

PatternedSchedule::Builder::Step PatternedSchedule::Builder::reversal(const Step& step) {
  Step reversed = step;
  for (Stored& pattern : reversed) {
    std::swap(pattern.from, pattern.to);
    pattern.op = Op::copy;
  }
  return reversed;
}

void PatternedSchedule::Builder::append_reversal() {
  for (std::size_t s = steps_.size(); s-- > 0;) steps_.push_back(reversal(steps_[s]));
}

void PatternedSchedule::Builder::reverse() {
  std::reverse(steps_.begin(), steps_.end());
  for (Step& step : steps_) step = reversal(step);
}

PatternedSchedule::PatternedSchedule(Header header, Builder&& builder)
    : Schedule(std::move(header)), steps_(std::move(builder.steps_)) {}

std::uint64_t PatternedSchedule::block_transfers() const {
  std::uint64_t total = 0;
  for (const auto& step : steps_)
    for (const Stored& pattern : step)
      total += static_cast<std::uint64_t>(pattern.indices.count) * static_cast<std::uint64_t>(pattern.blocks->size());
  return total;
}

Block PatternedSchedule::lane_base(const Stored& pattern) const {
  return pattern.lane * header().ranks;
}

void PatternedSchedule::transfers(int step, std::vector<Transfer>& out) const {
  out.clear();
  for (const Stored& pattern : steps_[static_cast<std::size_t>(step)]) {
    const Block modulus = pattern.blocks_move ? pattern.ring : max_blocks;
    auto place = [&](Place p, Rank i) { return p.moves ? wrapped(i + p.offset, pattern.ring) : p.offset; };
    for (Rank k = 0; k < pattern.indices.count; ++k) {
      const Rank i = pattern.indices.first + k * pattern.indices.stride;
      const Block rotation = pattern.blocks_move ? i : 0;
      const BlockSet blocks(pattern.blocks->runs(), pattern.blocks->size(), modulus, rotation, lane_base(pattern));
      out.push_back({place(pattern.from, i), place(pattern.to, i), blocks, pattern.op, pattern.lane});
    }
  }
}

namespace {

/// Writes the hops of indices i, i - stride, .. (around the ring), `count` of them.
void write_hops(Rank i, Rank stride, Block count, Rank ring, Place from, Place to, Hop* out) {
  for (Block k = 0; k < count; ++k) {
    out[k].src = from.moves ? wrapped(i + from.offset, ring) : from.offset;
    out[k].dst = to.moves ? wrapped(i + to.offset, ring) : to.offset;
    i -= stride;
    if (i < 0) i += ring;
  }
}

bool is_whole_ring(const Indices& indices, Rank ring) {
  return indices.first < indices.stride && indices.count == ring / indices.stride;
}

bool contains(const Indices& indices, Rank i) {
  const Rank k = i - indices.first;
  return k >= 0 && k % indices.stride == 0 && k / indices.stride < indices.count;
}

}  // namespace

void PatternedSchedule::pass_on(const Stored& pattern, Block block, Trace& trace) const {
  const auto& [indices, ring, from, to, blocks_move, blocks, op, lane] = pattern;
  const Block x = block - lane_base(pattern);
  if (!blocks_move) {
    if (!BlockSet::fixed(blocks->runs(), blocks->size()).contains(x)) return;
    for (Rank k = 0; k < indices.count; ++k)
      write_hops(indices.first + k * indices.stride, 1, 1, ring, from, to, trace.room(1)), trace.commit(1);
    return;
  }
  if (x < 0 || x >= ring) return;
  for (const auto& [first, count] : blocks->of_residue(around(x - indices.first, indices.stride))) {
    const Rank i = x >= first ? x - first : x - first + ring;
    if (is_whole_ring(indices, ring)) {
      write_hops(i, indices.stride, count, ring, from, to, trace.room(static_cast<std::size_t>(count)));
      trace.commit(static_cast<std::size_t>(count));
      continue;
    }
    for (Block k = 0; k < count; ++k) {
      const Rank index = around(std::int64_t{i} - std::int64_t{k} * indices.stride, ring);
      if (!contains(indices, index)) continue;
      write_hops(index, 1, 1, ring, from, to, trace.room(1));
      trace.commit(1);
    }
  }
}

void PatternedSchedule::traces(BlockRange window, const TraceVisitor& visit) const {
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    for (std::size_t s = 0; s < steps_.size(); ++s)
      for (const Stored& pattern : steps_[s]) {
        pass_on(pattern, b, trace);
        trace.end_leg(static_cast<int>(s), pattern.op);
      }
    visit(b, trace);
  }
}

}  // namespace onceover
