#include "schedules/patterned_schedule.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "schedules/numbers.h"

namespace onceover {

namespace {

Rank wrapped(Rank x, Rank ring) {
  return x >= ring ? x - ring : x;
}

Rank seen_from(Rank index, Place place, Rank ring) {
  return place.moves ? wrapped(index + place.offset, ring) : place.offset;
}

/// The runs around the ring, sorted and joined; they must not overlap.
std::vector<Run> settled(const std::vector<Run>& offsets, Block ring) {
  std::vector<Run> runs;
  for (const Run run : offsets) {
    const Block first = around(run.first, ring);
    const Block last = first + run.size() - 1;
    assert(run.size() <= ring);
    if (last >= ring) runs.push_back({0, last - ring});
    runs.push_back({first, std::min(last, ring - 1)});
  }
  [[maybe_unused]] const auto twice = normalise(runs);
  assert(!twice);
  return runs;
}

Block size_of(const std::vector<Run>& runs) {
  Block size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

std::vector<Run> single_runs(const std::vector<Block>& blocks) {
  std::vector<Run> runs;
  for (const Block b : blocks) runs.push_back({b, b});
  return runs;
}

Place settled(Place place, Rank ring) {
  return place.moves ? Place::by(around(place.offset, ring)) : place;
}

Rank extent_of(const Axis& axis) {
  return axis.extent == 0 ? axis.ring : axis.extent;
}

}  // namespace

Blocks Blocks::relative(const std::vector<Block>& offsets) {
  return {true, single_runs(offsets)};
}

Blocks Blocks::fixed(const std::vector<Block>& blocks) {
  return {false, single_runs(blocks)};
}

void PatternedSchedule::Builder::add(int step, Pattern pattern) {
  assert(step >= 0 && step < steps());
  const bool is_empty = std::any_of(pattern.axes.begin(), pattern.axes.end(),
                                    [](const Axis& a) { return a.indices.count <= 0 || a.blocks.offsets.empty(); });
  if (!is_empty) steps_[static_cast<std::size_t>(step)].push_back(std::move(pattern));
}

void PatternedSchedule::Builder::add(Axis axis, Op op) {
  Pattern pattern;
  pattern.op = op;
  pattern.axes.push_back(std::move(axis));
  add(std::move(pattern));
}

void PatternedSchedule::Builder::append(Builder&& later) {
  for (auto& step : later.steps_) steps_.push_back(std::move(step));
}

void PatternedSchedule::Builder::extend_to(int steps) {
  if (this->steps() < steps) steps_.resize(static_cast<std::size_t>(steps));
}

void PatternedSchedule::Builder::append_reversal() {
  const auto forward = steps_;
  reverse();
  steps_.insert(steps_.begin(), forward.begin(), forward.end());
}

void PatternedSchedule::Builder::merge(Builder&& beside) {
  extend_to(beside.steps());
  for (std::size_t s = 0; s < beside.steps_.size(); ++s)
    for (Pattern& pattern : beside.steps_[s]) steps_[s].push_back(std::move(pattern));
}

void PatternedSchedule::Builder::reverse(Op op) {
  std::reverse(steps_.begin(), steps_.end());
  for (auto& step : steps_)
    for (Pattern& pattern : step) {
      for (Axis& axis : pattern.axes) std::swap(axis.from, axis.to);
      pattern.op = op;
    }
}

PatternedSchedule::PatternedSchedule(Header header, Builder&& builder) : Schedule(std::move(header)) {
  residue_ends_.push_back(0);
  step_ends_.push_back(0);
  for (const auto& step : builder.steps_) {
    const int number = steps();
    for (const Pattern& pattern : step) lay_out(number, pattern);
    step_ends_.push_back(patterns_.size());
  }
  // The runs lie where they stay only now.
  std::size_t first = 0;
  for (BlockAxis& axis : block_axes_) {
    axis.runs = {runs_.data() + first, axis.runs.size()};
    first += axis.runs.size();
  }
}

void PatternedSchedule::lay_out(int step, const Pattern& p) {
  const auto first_axis = static_cast<std::uint32_t>(axes_.size());
  std::uint64_t messages = 1;
  std::uint64_t size = 1;
  Block block_count = 1;
  for (const Axis& axis : p.axes) block_count *= extent_of(axis);
  Block block_stride = block_count;
  for (const Axis& axis : p.axes) {
    block_stride /= extent_of(axis);
    lay_out(axis, extent_of(axis), block_stride, axis.rank_step == 0 ? block_stride : axis.rank_step);
    messages *= static_cast<std::uint64_t>(axis.indices.count);
    size *= static_cast<std::uint64_t>(block_axes_.back().count);
  }
  patterns_.push_back({.step = step,
                       .first_axis = first_axis,
                       .axis_count = static_cast<std::uint32_t>(p.axes.size()),
                       .block_count = block_count,
                       .base = p.lane * (header().blocks / header().lanes),
                       .size = static_cast<Block>(size),
                       .op = p.op,
                       .lane = static_cast<std::uint16_t>(p.lane),
                       .labels = number_of(p.labels)});
  block_transfers_ += messages * size;
}

std::uint16_t PatternedSchedule::number_of(const std::shared_ptr<const std::vector<Rank>>& labels) {
  auto known = std::find(labels_.begin(), labels_.end(), labels);
  if (known == labels_.end()) known = labels_.insert(known, labels);
  return static_cast<std::uint16_t>(known - labels_.begin());
}

void PatternedSchedule::lay_out(const Axis& axis, Rank extent, Block block_stride, Rank rank_stride) {
  const bool move = axis.blocks.move;
  assert(!move || axis.ring % axis.indices.stride == 0);
  assert(!move || axis.ring <= extent);
  const auto runs = settled(axis.blocks.offsets, move ? axis.ring : extent);
  axes_.push_back({.first = axis.indices.first,
                   .last = axis.indices.first + (axis.indices.count - 1) * axis.indices.stride,
                   .stride = axis.indices.stride,
                   .count = axis.indices.count,
                   .ring = axis.ring,
                   .extent = extent,
                   .from = settled(axis.from, axis.ring),
                   .to = settled(axis.to, axis.ring),
                   .block_stride = block_stride,
                   .rank_stride = rank_stride,
                   .blocks_move = move,
                   .residues = static_cast<std::uint32_t>(residue_ends_.size() - 1)});
  block_axes_.push_back({.runs = {static_cast<const Run*>(nullptr), runs.size()},
                         .count = size_of(runs),
                         .ring = move ? axis.ring : extent,
                         .extent = extent,
                         .stride = block_stride,
                         .moves = move});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  if (move) lay_out_stretches(runs, axis.indices.stride);
}

bool PatternedSchedule::Stretch::take(Stretch next) {
  const Block step = count == 1 ? next.first - first : gap;
  if (next.first != first + step * count || (next.count > 1 && next.gap != step)) return false;
  gap = step;
  count += next.count;
  return true;
}

void PatternedSchedule::lay_out_stretches(const std::vector<Run>& runs, Rank stride) {
  for (Rank residue = 0; residue < stride; ++residue) {
    const std::size_t begin = stretches_.size();
    for (const Run run : runs) {
      const Block first = run.first + around(residue - run.first, stride);
      if (first > run.last) continue;
      const Stretch next{first, stride, (run.last - first) / stride + 1};
      if (stretches_.size() == begin || !stretches_.back().take(next)) stretches_.push_back(next);
    }
    residue_ends_.push_back(static_cast<std::uint32_t>(stretches_.size()));
  }
}

inline Hop PatternedSchedule::labelled(const LaidPattern& pattern, Hop hop) const {
  const auto& labels = *labels_[pattern.labels];
  return {labels[static_cast<std::size_t>(hop.src)], labels[static_cast<std::size_t>(hop.dst)]};
}

/// Runs through the indices of patterns, axis by axis.
class PatternedSchedule::Sender {
 public:
  Sender(const PatternedSchedule& schedule, const TransferVisitor& visit) : schedule_(schedule), visit_(visit) {
    some_.reserve(at_once);
  }

  /// Adds the transfers of all indices of the axes from `axis` on; `from` and `code` are those of the axes before.
  void send(const LaidPattern& pattern, std::uint32_t axis = 0, Hop from = {0, 0}, Rank code = 0) {
    const LaidAxis a = schedule_.axes_[pattern.first_axis + axis];
    const bool is_last = axis + 1 == pattern.axis_count;
    for (Rank i = a.first; i <= a.last; i += a.stride) {
      const Hop hop{from.src + seen_from(i, a.from, a.ring) * a.rank_stride,
                    from.dst + seen_from(i, a.to, a.ring) * a.rank_stride};
      const Rank code_here = code * a.extent + (a.ring <= a.extent ? i : 0);
      if (is_last)
        add(pattern, hop, code_here);
      else
        send(pattern, axis + 1, hop, code_here);
    }
  }

  void finish() {
    if (!some_.empty()) visit_(some_);
    some_.clear();
  }

 private:
  static constexpr std::size_t at_once = 1024;

  void add(const LaidPattern& pattern, Hop hop, Rank code) {
    const auto [src, dst] = pattern.labels == 0 ? hop : schedule_.labelled(pattern, hop);
    const BlockSet blocks(schedule_.block_axes_of(pattern), pattern.size, code, pattern.base);
    some_.push_back({src, dst, blocks, pattern.op, pattern.lane});
    if (some_.size() == at_once) finish();
  }

  const PatternedSchedule& schedule_;
  const TransferVisitor& visit_;
  std::vector<Transfer> some_;
};

void PatternedSchedule::visit_transfers(int step, const TransferVisitor& visit) const {
  Sender sender(*this, visit);
  const auto s = static_cast<std::size_t>(step);
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) sender.send(patterns_[k]);
  sender.finish();
}

/// All that `visit_transfers` makes the step's messages from, but for the blocks in them.
std::vector<std::int64_t> PatternedSchedule::messages_of(int step) const {
  const auto s = static_cast<std::size_t>(step);
  std::vector<std::int64_t> messages;
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) {
    const LaidPattern& p = patterns_[k];
    messages.insert(messages.end(), {p.axis_count, p.size, static_cast<std::int64_t>(p.op), p.lane, p.labels});
    for (const LaidAxis& a : axes_of(p))
      messages.insert(messages.end(), {a.first, a.stride, a.count, a.ring, a.rank_stride, a.from.moves, a.from.offset,
                                       a.to.moves, a.to.offset});
  }
  return messages;
}

std::vector<int> PatternedSchedule::alike() const {
  std::map<std::vector<std::int64_t>, int> first;
  std::vector<int> alike;
  for (int step = 0; step < steps(); ++step) alike.push_back(first.emplace(messages_of(step), step).first->second);
  return alike;
}

/// Finds who passes a block on, axis by axis.
class PatternedSchedule::Reader {
 public:
  explicit Reader(const PatternedSchedule& schedule) : schedule_(schedule) {}

  /// Appends the pattern's hops of the block.
  void pass_on(const LaidPattern& pattern, Block block, Trace& trace) {
    Block x = block - pattern.base;
    if (x < 0 || x >= pattern.block_count) return;
    const auto axes = schedule_.axes_of(pattern);
    const std::size_t before = trace.hop_count();
    if (axes.size() == 1)
      add_hops(axes.front(), x, trace);
    else
      add_product(axes, x, trace);
    if (pattern.labels != 0) trace.change_from(before, [&](Hop hop) { return schedule_.labelled(pattern, hop); });
  }

 private:
  /// Each combination of hops, one of each axis, added up.
  void add_product(std::span<const LaidAxis> axes, Block x, Trace& trace) {
    product_.clear();
    *product_.room(1) = {0, 0};
    product_.commit(1);
    for (const LaidAxis& axis : axes) {
      const Block coordinate = x / axis.block_stride;
      x -= coordinate * axis.block_stride;
      axis_.clear();
      add_hops(axis, coordinate, axis_);
      if (axis_.hop_count() == 0) return;
      const bool is_last = &axis == &axes.back();
      next_.clear();
      multiply(product_, axis_, is_last ? trace : next_);
      std::swap(product_, next_);
    }
  }

  static void multiply(const Trace& outer, const Trace& inner, Trace& product) {
    const std::size_t inner_count = inner.hop_count();
    Hop* out = product.room(outer.hop_count() * inner_count);
    for (std::size_t k = 0; k < outer.hop_count(); ++k) {
      const Hop a = outer.hops()[k];
      for (std::size_t n = 0; n < inner_count; ++n) {
        const Hop b = inner.hops()[n];
        *out++ = {a.src + b.src, a.dst + b.dst};
      }
    }
    product.commit(outer.hop_count() * inner_count);
  }

  // The indices that send coordinate x are those with i + offset = x around the ring: i = x - offset.
  void add_hops(const LaidAxis& a, Block x, Trace& trace) const {
    if (!a.blocks_move) return add_fixed_hops(a, x, trace);
    if (x >= a.ring) return;
    const std::size_t residue =
        a.residues + static_cast<std::size_t>(a.stride == 1 ? 0 : around(x - a.first, a.stride));
    for (std::uint32_t k = schedule_.residue_ends_[residue]; k < schedule_.residue_ends_[residue + 1]; ++k)
      add_stretch(a, x, schedule_.stretches_[k], trace);
  }

  static void add_stretch(const LaidAxis& axis, Block x, Stretch stretch, Trace& trace) {
    const LaidAxis a = axis;
    Hop* const begin = trace.room(static_cast<std::size_t>(stretch.count));
    Hop* out = begin;
    Rank i = x - stretch.first;
    for (Block n = 0; n < stretch.count; ++n, i -= stretch.gap) {
      i += i < 0 ? a.ring : 0;
      *out = hop_of(a, i);
      out += i >= a.first && i <= a.last ? 1 : 0;
    }
    trace.commit(static_cast<std::size_t>(out - begin));
  }

  static Hop hop_of(const LaidAxis& a, Rank i) {
    return {seen_from(i, a.from, a.ring) * a.rank_stride, seen_from(i, a.to, a.ring) * a.rank_stride};
  }

  void add_fixed_hops(const LaidAxis& a, Block x, Trace& trace) const {
    const auto axis = static_cast<std::size_t>(&a - schedule_.axes_.data());
    if (!schedule_.block_axes_[axis].seen_by(0).contains(x)) return;
    Hop* out = trace.room(static_cast<std::size_t>(a.count));
    for (Rank i = a.first; i <= a.last; i += a.stride) *out++ = hop_of(a, i);
    trace.commit(static_cast<std::size_t>(a.count));
  }

  const PatternedSchedule& schedule_;
  Trace product_;
  Trace next_;
  Trace axis_;
};

void PatternedSchedule::traces(BlockRange window, const TraceVisitor& visit) const {
  Reader reader(*this);
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    for (const LaidPattern& pattern : patterns_) {
      reader.pass_on(pattern, b, trace);
      trace.end_leg(pattern.step, pattern.op);
    }
    visit(b, trace);
  }
}

}  // namespace onceover
