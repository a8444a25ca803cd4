#include "schedules/patterned_schedule.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <utility>

#include "schedules/numbers.h"

namespace onceover {

namespace {

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

Rank extent_of(const Axis& axis) {
  return axis.extent == 0 ? axis.ring : axis.extent;
}

/// The places that the offsets are turned on.
Block turned_on(const Axis& axis) {
  return axis.blocks.move ? axis.ring : extent_of(axis);
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
  for (auto& step : steps_)
    for (Pattern& pattern : step)
      for (Axis& axis : pattern.axes) axis.blocks.offsets = settled(axis.blocks.offsets, turned_on(axis));
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

bool PatternedSchedule::Stretch::take(Stretch next) {
  if (count == 0) {
    *this = next;
    return true;
  }
  const Block step = count == 1 ? next.first - first : gap;
  if (next.first != first + step * count || (next.count > 1 && next.gap != step)) return false;
  gap = step;
  count += next.count;
  return true;
}

/// Lays patterns out, those of one form beside each other's.
class PatternedSchedule::Layout {
 public:
  explicit Layout(PatternedSchedule& schedule) : schedule_(schedule) {
    schedule_.residue_ends_.push_back({0, 0});
    schedule_.step_ends_.push_back(0);
  }

  void add_step(const std::vector<Pattern>& patterns) {
    const int step = schedule_.steps();
    for (const Pattern& pattern : patterns) add(step, pattern);
    schedule_.step_ends_.push_back(schedule_.patterns_.size());
  }

  /// The runs lie where they stay only now.
  void finish() {
    find_series();
    std::size_t first = 0;
    for (BlockAxis& axis : schedule_.block_axes_) {
      axis.runs = {schedule_.runs_.data() + first, axis.runs.size()};
      first += axis.runs.size();
    }
  }

 private:
  void add(int step, const Pattern& p) {
    LaidPattern laid{.step = step,
                     .form = 0,
                     .residues = static_cast<std::uint32_t>(schedule_.residue_ends_.size() - 1),
                     .blocks = static_cast<std::uint32_t>(schedule_.block_axes_.size()),
                     .op = p.op};
    std::vector<LaidAxis> axes;
    std::uint64_t messages = 1;
    std::uint64_t size = 1;
    Block block_count = 1;
    for (const Axis& axis : p.axes) block_count *= extent_of(axis);
    Block block_stride = block_count;
    for (const Axis& axis : p.axes) {
      block_stride /= extent_of(axis);
      axes.push_back(laid_out(axis, extent_of(axis), block_stride));
      add_blocks(axis, axes.back());
      messages *= static_cast<std::uint64_t>(axis.indices.count);
      size *= static_cast<std::uint64_t>(schedule_.block_axes_.back().count);
    }
    laid.form = number_of({.first_axis = 0,
                           .axis_count = static_cast<std::uint32_t>(axes.size()),
                           .block_count = block_count,
                           .base = p.lane * (schedule_.header().blocks / schedule_.header().lanes),
                           .size = static_cast<Block>(size),
                           .lane = static_cast<std::uint16_t>(p.lane),
                           .labels = number_of(p.labels)},
                          axes);
    schedule_.patterns_.push_back(laid);
    schedule_.block_transfers_ += messages * size;
  }

  /// Sorts the patterns into series, each as long as it can be.
  void find_series() {
    const auto count = static_cast<std::uint32_t>(schedule_.patterns_.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::optional<Rank> drift = k == 0 ? std::nullopt : drift_to(k);
      if (!drift || !goes_on(schedule_.series_.back(), *drift))
        schedule_.series_.push_back({k, 1, 0});
      else
        schedule_.series_.back() = {schedule_.series_.back().first, schedule_.series_.back().count + 1, *drift};
    }
  }

  static bool goes_on(const Series& series, Rank drift) { return series.count == 1 || series.drift == drift; }

  /// How the offset differs from that of the pattern before, if the two may be of one series.
  std::optional<Rank> drift_to(std::uint32_t number) const {
    const LaidPattern& before = schedule_.patterns_[number - 1];
    const LaidPattern& here = schedule_.patterns_[number];
    if (here.step != before.step + 1 || here.form != before.form || here.op != before.op) return std::nullopt;
    if (!is_alone(before) || !is_alone(here) || !is_one_offset(before) || !is_one_offset(here)) return std::nullopt;
    return schedule_.one_offset_of(here) - schedule_.one_offset_of(before);
  }

  bool is_alone(const LaidPattern& p) const {
    const auto step = static_cast<std::size_t>(p.step);
    return schedule_.step_ends_[step + 1] - schedule_.step_ends_[step] == 1;
  }

  bool is_one_offset(const LaidPattern& p) const {
    const Form& form = schedule_.form_of(p);
    const LaidAxis& axis = schedule_.axes_[form.first_axis];
    return form.axis_count == 1 && form.labels == 0 && axis.blocks_move && axis.is_whole && axis.stride == 1 &&
           form.size == 1;
  }

  static LaidAxis laid_out(const Axis& axis, Rank extent, Block block_stride) {
    const Rank rank_stride = axis.rank_step == 0 ? block_stride : axis.rank_step;
    const Indices& indices = axis.indices;
    const Rank last = indices.first + (indices.count - 1) * indices.stride;
    auto seat = [&](Place place) {
      const Rank offset = settled(place, axis.ring).offset * rank_stride;
      const Rank ring = axis.ring * rank_stride;
      return place.moves ? Seat{-1, offset - ring, ring} : Seat{0, offset, 0};
    };
    assert(!axis.blocks.move || axis.ring % indices.stride == 0);
    assert(!axis.blocks.move || axis.ring <= extent);
    return {.first = indices.first * rank_stride,
            .last = last * rank_stride,
            .gap = indices.stride * rank_stride,
            .ring = axis.ring * rank_stride,
            .from = seat(axis.from),
            .to = seat(axis.to),
            .rank_stride = rank_stride,
            .stride = indices.stride,
            .ring_places = axis.ring,
            .extent = extent,
            .block_stride = block_stride,
            .blocks_move = axis.blocks.move,
            .is_whole = indices.first < indices.stride && last + indices.stride >= axis.ring};
  }

  void add_blocks(const Axis& axis, const LaidAxis& laid) {
    const Block ring = turned_on(axis);
    const std::vector<Run> runs = settled(axis.blocks.offsets, ring);
    schedule_.block_axes_.push_back({.runs = {static_cast<const Run*>(nullptr), runs.size()},
                                     .count = size_of(runs),
                                     .ring = ring,
                                     .extent = laid.extent,
                                     .stride = laid.block_stride,
                                     .moves = axis.blocks.move});
    schedule_.runs_.insert(schedule_.runs_.end(), runs.begin(), runs.end());
    if (axis.blocks.move) add_stretches(runs, laid);
  }

  void add_stretches(const std::vector<Run>& runs, const LaidAxis& axis) {
    for (Rank residue = 0; residue < axis.stride; ++residue) {
      Stretch last{0, 0, 0};
      for (const Run run : runs) {
        const Block first = run.first + around(residue - run.first, axis.stride);
        if (first > run.last) continue;
        const Stretch next{first * axis.rank_stride, axis.gap, (run.last - first) / axis.stride + 1};
        if (last.take(next)) continue;
        add(last);
        last = next;
      }
      add(last);
      schedule_.residue_ends_.push_back({static_cast<std::uint32_t>(schedule_.stretches_.size()),
                                         static_cast<std::uint32_t>(schedule_.single_.size())});
    }
  }

  /// A short stretch costs more to begin than its offsets to read.
  void add(const Stretch& stretch) {
    constexpr Block long_enough = 16;
    static_assert(long_enough > 1, "one_offset_of looks among the single ones");
    if (stretch.count >= long_enough) return schedule_.stretches_.push_back(stretch);
    for (Block n = 0; n < stretch.count; ++n) schedule_.single_.push_back(stretch.first + n * stretch.gap);
  }

  std::uint32_t number_of(Form form, const std::vector<LaidAxis>& axes) {
    const auto [known, is_new] =
        known_.emplace(key_of(form, axes), static_cast<std::uint32_t>(schedule_.forms_.size()));
    if (is_new) {
      form.first_axis = static_cast<std::uint32_t>(schedule_.axes_.size());
      schedule_.forms_.push_back(form);
      schedule_.axes_.insert(schedule_.axes_.end(), axes.begin(), axes.end());
    }
    return known->second;
  }

  static std::vector<std::int64_t> key_of(const Form& form, const std::vector<LaidAxis>& axes) {
    std::vector<std::int64_t> key{form.base, form.size, form.lane, form.labels};
    for (const LaidAxis& a : axes)
      key.insert(key.end(), {a.first, a.last, a.gap, a.ring, a.from.mask, a.from.offset, a.to.mask, a.to.offset,
                             a.rank_stride, a.extent, a.block_stride, a.blocks_move});
    return key;
  }

  std::uint16_t number_of(const std::shared_ptr<const std::vector<Rank>>& labels) {
    auto& all = schedule_.labels_;
    auto known = std::find(all.begin(), all.end(), labels);
    if (known == all.end()) known = all.insert(known, labels);
    return static_cast<std::uint16_t>(known - all.begin());
  }

  PatternedSchedule& schedule_;
  std::map<std::vector<std::int64_t>, std::uint32_t> known_;  // forms
};

PatternedSchedule::PatternedSchedule(Header header, Builder&& builder) : Schedule(std::move(header)) {
  Layout layout(*this);
  for (const auto& step : builder.steps_) layout.add_step(step);
  layout.finish();
}

inline Hop PatternedSchedule::labelled(const Form& form, Hop hop) const {
  const auto& labels = *labels_[form.labels];
  return {labels[static_cast<std::size_t>(hop.src)], labels[static_cast<std::size_t>(hop.dst)]};
}

/// Runs through the indices of patterns, axis by axis.
class PatternedSchedule::Sender {
 public:
  Sender(const PatternedSchedule& schedule, const TransferVisitor& visit)
      : schedule_(schedule), visit_(visit), some_(at_once) {}

  void send(const LaidPattern& pattern) {
    form_ = &schedule_.form_of(pattern);
    const BlockSet blocks(schedule_.block_axes_of(pattern), form_->size, 0, form_->base);
    like_ = {0, 0, blocks, pattern.op, form_->lane};
    prepared_ = used_;
    send(schedule_.axes_of(*form_), {0, 0}, 0);
  }

  void finish() {
    if (used_ > 0) visit_({some_.data(), used_});
    used_ = prepared_ = 0;
  }

 private:
  static constexpr std::size_t at_once = 256;
  static constexpr std::size_t prepared_at_once = 16;

  /// Adds transfers for all indices of the axes that are left; `from` and `code` are those of the axes before.
  void send(std::span<const LaidAxis> axes, Hop from, Rank code) {
    const LaidAxis a = axes.front();
    const bool is_last = axes.size() == 1;
    const Rank code_step = a.ring_places <= a.extent ? a.stride : 0;
    code = code * a.extent + (code_step == 0 ? 0 : a.first / a.rank_stride);
    for (Rank i = a.first; i <= a.last; i += a.gap, code += code_step) {
      const Hop hop{from.src + a.from.at(i), from.dst + a.to.at(i)};
      if (is_last)
        add(hop, code);
      else
        send(axes.subspan(1), hop, code);
    }
  }

  void add(Hop hop, Rank code) {
    if (form_->labels != 0) hop = schedule_.labelled(*form_, hop);
    if (used_ == prepared_) prepare();
    Transfer& added = some_[used_++];
    added.src = hop.src;
    added.dst = hop.dst;
    added.blocks.turn_to(code);
    if (used_ == at_once) finish();
  }

  /// Writes what the pattern's transfers have in common into the next few.
  void prepare() {
    prepared_ = std::min(used_ + prepared_at_once, at_once);
    std::fill(some_.data() + used_, some_.data() + prepared_, like_);
  }

  const PatternedSchedule& schedule_;
  const TransferVisitor& visit_;
  const Form* form_ = nullptr;
  Transfer like_{};
  std::vector<Transfer> some_;
  std::size_t used_ = 0;
  std::size_t prepared_ = 0;
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
    const Form& f = form_of(patterns_[k]);
    messages.insert(messages.end(),
                    {f.axis_count, f.size, static_cast<std::int64_t>(patterns_[k].op), f.lane, f.labels});
    for (const LaidAxis& a : axes_of(f))
      messages.insert(messages.end(),
                      {a.first, a.last, a.gap, a.ring, a.from.mask, a.from.offset, a.to.mask, a.to.offset});
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

  /// Appends the hops of the block in all patterns of a series.
  void pass_on(const Series& series, Block block, Trace& trace) {
    const LaidPattern& pattern = schedule_.patterns_[series.first];
    const Form& form = schedule_.forms_[pattern.form];
    const Block x = block - form.base;
    if (x < 0 || x >= form.block_count) return;
    if (series.count == 1)
      add_pattern(pattern, form, x, trace);
    else
      add_series(series, x, trace);
  }

 private:
  void add_series(const Series& series, Block x, Trace& trace) {
    const LaidPattern& first = schedule_.patterns_[series.first];
    const LaidAxis& a = axis_of(first, 0);
    if (x >= a.ring_places) return;
    const Stretch offsets{schedule_.one_offset_of(first), series.drift, static_cast<Block>(series.count)};
    add_stretch(a, x * a.rank_stride, offsets, trace);
    trace.end_leg_of_steps(first.step, first.op, series.count);
  }

  void add_pattern(const LaidPattern& pattern, const Form& form, Block x, Trace& trace) {
    const std::size_t before = trace.hop_count();
    if (form.axis_count == 1)
      add_hops(pattern, 0, pattern.residues, x, trace);
    else
      add_product(pattern, form.axis_count, x, trace);
    if (form.labels != 0)
      for (Hop& hop : trace.from(before)) hop = schedule_.labelled(form, hop);
    trace.end_leg(pattern.step, pattern.op);
  }

  /// Each combination of hops, one of each axis, added up.
  void add_product(const LaidPattern& pattern, std::uint32_t axis_count, Block x, Trace& trace) {
    product_.clear();
    *product_.room(1) = {0, 0};
    product_.commit(1);
    std::uint32_t residues = pattern.residues;
    for (std::uint32_t k = 0; k < axis_count; ++k) {
      const LaidAxis& axis = axis_of(pattern, k);
      const Block coordinate = x / axis.block_stride;
      x -= coordinate * axis.block_stride;
      axis_.clear();
      add_hops(pattern, k, residues, coordinate, axis_);
      if (axis_.hop_count() == 0) return;
      if (axis.blocks_move) residues += static_cast<std::uint32_t>(axis.stride);
      next_.clear();
      multiply(product_, axis_, k + 1 == axis_count ? trace : next_);
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

  const LaidAxis& axis_of(const LaidPattern& pattern, std::uint32_t k) const {
    return schedule_.axes_[schedule_.forms_[pattern.form].first_axis + k];
  }

  // The indices that send coordinate x are those with i + offset = x around the ring: i = x - offset.
  void add_hops(const LaidPattern& pattern, std::uint32_t k, std::uint32_t residues, Block x, Trace& trace) const {
    const LaidAxis& a = axis_of(pattern, k);
    if (!a.blocks_move) return add_fixed_hops(a, schedule_.block_axes_[pattern.blocks + k], x, trace);
    if (x >= a.ring_places) return;
    if (a.stride != 1) residues += static_cast<std::uint32_t>(around(x - a.first / a.rank_stride, a.stride));
    const std::size_t before = trace.hop_count();
    const OffsetsEnd begin = schedule_.residue_ends_[residues];
    const OffsetsEnd end = schedule_.residue_ends_[residues + 1];
    for (std::uint32_t s = begin.stretches; s < end.stretches; ++s)
      add_stretch(a, x * a.rank_stride, schedule_.stretches_[s], trace);
    if (begin.single != end.single)
      add_single(a, x * a.rank_stride, {&schedule_.single_[begin.single], end.single - begin.single}, trace);
    if (a.to.mask == 0) sort_by_index(a, trace.from(before));
  }

  /// What one rank receives comes in the order of the indices, as in the sender's view.
  static void sort_by_index(const LaidAxis& a, std::span<Hop> hops) {
    auto index = [&](Hop hop) { return turned_up(hop.src - a.from.offset - a.from.ring, a.from.ring); };
    if (hops.size() > 1)
      std::sort(hops.begin(), hops.end(), [&](Hop left, Hop right) { return index(left) < index(right); });
  }

  /// The step is added, as GCC 12 makes no vectors of one taken off.
  static void add_stretch(const LaidAxis& a, Rank x, Stretch stretch, Trace& trace) {
    auto next_index = [index = x - stretch.first, step = -stretch.gap]() mutable {
      return std::exchange(index, index + step);
    };
    add_indices(a, stretch.count, next_index, trace);
  }

  static void add_single(const LaidAxis& a, Rank x, std::span<const Rank> offsets, Trace& trace) {
    auto next_index = [x, offset = offsets.data()]() mutable { return x - *offset++; };
    add_indices(a, static_cast<Block>(offsets.size()), next_index, trace);
  }

  /// The hops of those that are indices of the axis. What `next_index` says is less than a ring below 0.
  template <class NextIndex>
  static void add_indices(const LaidAxis& a, Block count, NextIndex next_index, Trace& trace) {
    Hop* const out = trace.room(static_cast<std::size_t>(count));
    if (a.is_whole) {
      fill(out, count, next_index, a.from, a.to, a.ring);
      trace.commit(static_cast<std::size_t>(count));
    } else
      trace.commit(fill_part(out, count, next_index, a));
  }

  // Inlined, GCC 12 makes no vectors of it.
  template <class NextIndex>
  [[gnu::noinline]] static void fill(Hop* __restrict out, Block count, NextIndex next_index, Seat from, Seat to,
                                     Rank ring) {
    for (Block n = 0; n < count; ++n) {
      const Rank i = turned_up(next_index(), ring);
      out[n].src = from.at(i);
      out[n].dst = to.at(i);
    }
  }

  template <class NextIndex>
  static std::size_t fill_part(Hop* const out, Block count, NextIndex next_index, const LaidAxis& axis) {
    const LaidAxis a = axis;
    std::size_t filled = 0;
    for (Block n = 0; n < count; ++n) {
      const Rank index = turned_up(next_index(), a.ring);
      out[filled] = a.hop(index);
      filled += index >= a.first && index <= a.last ? 1 : 0;
    }
    return filled;
  }

  static void add_fixed_hops(const LaidAxis& a, const BlockAxis& blocks, Block x, Trace& trace) {
    if (!blocks.seen_by(0).contains(x)) return;
    for (Rank i = a.first; i <= a.last; i += a.gap) {
      *trace.room(1) = a.hop(i);
      trace.commit(1);
    }
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
    for (const Series& series : series_) reader.pass_on(series, b, trace);
    visit(b, trace);
  }
}

}  // namespace onceover
