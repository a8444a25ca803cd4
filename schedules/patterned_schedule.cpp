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

void PatternedSchedule::Builder::add(Pattern pattern) {
  assert(!steps_.empty());
  if (pattern.indices.count > 0 && !pattern.blocks.offsets.empty()) steps_.back().push_back(std::move(pattern));
}

void PatternedSchedule::Builder::append_reversal() {
  const auto forward = steps_;
  reverse();
  steps_.insert(steps_.begin(), forward.begin(), forward.end());
}

void PatternedSchedule::Builder::reverse() {
  std::reverse(steps_.begin(), steps_.end());
  for (auto& step : steps_)
    for (Pattern& pattern : step) {
      std::swap(pattern.from, pattern.to);
      pattern.op = Op::copy;
    }
}

PatternedSchedule::PatternedSchedule(Header header, Builder&& builder) : Schedule(std::move(header)) {
  residue_ends_.push_back(0);
  step_ends_.push_back(0);
  for (const auto& step : builder.steps_) {
    for (const Pattern& pattern : step) lay_out(steps(), pattern);
    step_ends_.push_back(patterns_.size());
  }
}

namespace {

Place settled(Place place, Rank ring) {
  return place.moves ? Place::by(around(place.offset, ring)) : place;
}

bool is_whole_ring(const Indices& indices, Rank ring) {
  return indices.first < indices.stride && indices.count == ring / indices.stride;
}

}  // namespace

void PatternedSchedule::lay_out(int step, const Pattern& p) {
  const Rank stride = p.blocks.move ? p.indices.stride : 1;
  assert(!p.blocks.move || p.ring % stride == 0);
  const auto sorted = sorted_around(p.blocks.offsets, p.blocks.move ? p.ring : max_blocks);
  patterns_.push_back({.step = step,
                       .first = p.indices.first,
                       .stride = p.indices.stride,
                       .count = p.indices.count,
                       .ring = p.ring,
                       .from = settled(p.from, p.ring),
                       .to = settled(p.to, p.ring),
                       .base = p.lane * header().ranks,
                       .op = p.op,
                       .blocks_move = p.blocks.move,
                       .whole_ring = is_whole_ring(p.indices, p.ring),
                       .lane = static_cast<std::uint16_t>(p.lane),
                       .residues = static_cast<std::uint32_t>(residue_ends_.size() - 1)});
  lay_out_stretches(sorted, stride);
  const auto runs = runs_of(sorted);
  spans_.push_back({runs_.size(), runs.size(), static_cast<Block>(sorted.size())});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  block_transfers_ += static_cast<std::uint64_t>(p.indices.count) * sorted.size();
}

void PatternedSchedule::lay_out_stretches(const std::vector<Block>& sorted, Rank stride) {
  for (Rank residue = 0; residue < stride; ++residue) {
    const std::size_t begin = stretches_.size();
    for (const Block x : sorted) {
      if (x % stride != residue) continue;
      if (stretches_.size() > begin && stretches_.back().first + stretches_.back().count * stride == x)
        ++stretches_.back().count;
      else
        stretches_.push_back({x, 1});
    }
    residue_ends_.push_back(static_cast<std::uint32_t>(stretches_.size()));
  }
}

BlockSet PatternedSchedule::blocks_of(std::size_t pattern, Rank index) const {
  const Laid& laid = patterns_[pattern];
  const RunSpan& span = spans_[pattern];
  const std::span<const Run> runs(runs_.data() + span.first, span.count);
  if (!laid.blocks_move) return {runs, span.size, max_blocks, 0, laid.base};
  return {runs, span.size, laid.ring, index, laid.base};
}

namespace {

Rank seen_from(Rank index, Place place, Rank ring) {
  return place.moves ? wrapped(index + place.offset, ring) : place.offset;
}

}  // namespace

void PatternedSchedule::transfers(int step, std::vector<Transfer>& out) const {
  out.clear();
  const auto s = static_cast<std::size_t>(step);
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) {
    const Laid& p = patterns_[k];
    for (Rank n = 0, i = p.first; n < p.count; ++n, i += p.stride)
      out.push_back({seen_from(i, p.from, p.ring), seen_from(i, p.to, p.ring), blocks_of(k, i), p.op, p.lane});
  }
}

void PatternedSchedule::traces(BlockRange window, const TraceVisitor& visit) const {
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    for (const Laid& pattern : patterns_) {
      pass_on(pattern, b, trace);
      trace.end_leg(pattern.step, pattern.op);
    }
    visit(b, trace);
  }
}

// The indices that send block x are those with i + offset = x around the ring: i = x - offset.
inline void PatternedSchedule::pass_on(const Laid& p, Block block, Trace& trace) const {
  const Block x = block - p.base;
  if (!p.blocks_move) return pass_on_fixed(p, x, trace);
  if (x < 0 || x >= p.ring) return;
  const std::size_t residue = p.residues + static_cast<std::size_t>(p.stride == 1 ? 0 : around(x - p.first, p.stride));
  for (std::uint32_t k = residue_ends_[residue]; k < residue_ends_[residue + 1]; ++k) {
    const auto [first, count] = stretches_[k];
    Rank i = x >= first ? x - first : x - first + p.ring;
    Hop* out = trace.room(static_cast<std::size_t>(count));
    for (Block n = 0; n < count; ++n) {
      *out = {seen_from(i, p.from, p.ring), seen_from(i, p.to, p.ring)};
      const bool is_index = p.whole_ring || (i >= p.first && (i - p.first) / p.stride < p.count);
      out += is_index ? 1 : 0;
      i -= p.stride;
      if (i < 0) i += p.ring;
    }
    trace.commit_to(out);
  }
}

void PatternedSchedule::pass_on_fixed(const Laid& p, Block x, Trace& trace) const {
  const auto pattern = static_cast<std::size_t>(&p - patterns_.data());
  if (!blocks_of(pattern, 0).contains(x + p.base)) return;
  Hop* out = trace.room(static_cast<std::size_t>(p.count));
  for (Rank n = 0, i = p.first; n < p.count; ++n, i += p.stride)
    *out++ = {seen_from(i, p.from, p.ring), seen_from(i, p.to, p.ring)};
  trace.commit_to(out);
}

}  // namespace onceover
