// Finds a block's path through a schedule of patterns.
#include <algorithm>
#include <cassert>
#include <utility>

#include "schedules/numbers.h"
#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Finds the ranks that pass a block on, axis by axis.
class PatternedSchedule::Reader {
 public:
  explicit Reader(const PatternedSchedule& schedule) : schedule_(schedule) {}

  /// Appends the moves of the block in all patterns of a series.
  void pass_on(const Series& series, Block block, Trace& trace) {
    const LaidPattern& pattern = schedule_.patterns_[series.first];
    if (pattern.role == Role::message) return;
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
    trace.end_segment_of_steps(first.step, first.op, series.count);
  }

  void add_pattern(const LaidPattern& pattern, const Form& form, Block x, Trace& trace) {
    const std::size_t before = trace.move_count();
    if (form.axis_count == 1)
      add_moves(pattern, 0, pattern.residues, x, trace);
    else
      add_product(pattern, form.axis_count, x, trace);
    if (form.labels != 0)
      for (BlockTransfer& move : trace.from(before)) move = schedule_.labelled(form, move);
    if (pattern.reads != pattern.into || pattern.reads != 0)
      for (BlockTransfer& move : trace.from(before)) move = between_copies(pattern, move);
    trace.end_segment(pattern.step, pattern.op);
  }

  /// The move between the cells of its copies: copy k is slot k.
  BlockTransfer between_copies(const LaidPattern& pattern, BlockTransfer move) const {
    const Rank ranks = schedule_.header().ranks;
    return {move.src + pattern.reads * ranks, move.dst + pattern.into * ranks};
  }

  /// Appends the sum of each combination of one move from each axis.
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
      add_moves(pattern, k, residues, coordinate, axis_);
      if (axis_.move_count() == 0) return;
      if (axis.blocks_move) residues += static_cast<std::uint32_t>(axis.residues);
      next_.clear();
      multiply(product_, axis_, k + 1 == axis_count ? trace : next_);
      std::swap(product_, next_);
    }
  }

  static void multiply(const Trace& outer, const Trace& inner, Trace& product) {
    const std::size_t inner_count = inner.move_count();
    BlockTransfer* out = product.room(outer.move_count() * inner_count);
    for (std::size_t k = 0; k < outer.move_count(); ++k) {
      const BlockTransfer a = outer.moves()[k];
      for (std::size_t n = 0; n < inner_count; ++n) {
        const BlockTransfer b = inner.moves()[n];
        *out++ = {a.src + b.src, a.dst + b.dst};
      }
    }
    product.commit(outer.move_count() * inner_count);
  }

  const LaidAxis& axis_of(const LaidPattern& pattern, std::uint32_t k) const {
    return schedule_.axes_[schedule_.forms_[pattern.form].first_axis + k];
  }

  // The indices that send coordinate x satisfy i + offset = x around the ring: i = x - offset.
  void add_moves(const LaidPattern& pattern, std::uint32_t k, std::uint32_t residues, Block x, Trace& trace) const {
    const LaidAxis& a = axis_of(pattern, k);
    if (!a.blocks_move) return add_fixed_moves(a, schedule_.block_axes_[pattern.blocks + k], x, trace);
    if (x >= a.ring_places) return;
    if (a.residues != 1) residues += static_cast<std::uint32_t>(around(x - a.first / a.rank_stride, a.residues));
    const std::size_t before = trace.move_count();
    const OffsetsEnd begin = schedule_.residue_ends_[residues];
    const OffsetsEnd end = schedule_.residue_ends_[residues + 1];
    for (std::uint32_t s = begin.stretches; s < end.stretches; ++s)
      add_stretch(a, x * a.rank_stride, schedule_.stretches_[s], trace);
    if (begin.single != end.single)
      add_single(a, x * a.rank_stride, {&schedule_.single_[begin.single], end.single - begin.single}, trace);
    if (a.to.mask == 0) sort_by_index(a, trace.from(before));
  }

  /// Sorts what one rank receives by index, which is the order of the view by step.
  static void sort_by_index(const LaidAxis& a, std::span<BlockTransfer> moves) {
    auto index = [&](BlockTransfer move) { return turned_up(move.src - a.from.offset - a.from.ring, a.from.ring); };
    if (moves.size() > 1)
      std::sort(moves.begin(), moves.end(),
                [&](BlockTransfer left, BlockTransfer right) { return index(left) < index(right); });
  }

  /// Adds a negative step, because GCC 12 doesn't vectorise the subtraction.
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

  /// Adds the moves of those values of `next_index` that are indices of the axis. A value may be negative, by less than
  /// a ring.
  template <class NextIndex>
  static void add_indices(const LaidAxis& a, Block count, NextIndex next_index, Trace& trace) {
    BlockTransfer* const out = trace.room(static_cast<std::size_t>(count));
    if (a.is_whole) {
      fill(out, count, next_index, a.from, a.to, a.ring);
      trace.commit(static_cast<std::size_t>(count));
    } else
      trace.commit(fill_part(out, count, next_index, a));
  }

  // Not inlined, because GCC 12 doesn't vectorise it then.
  template <class NextIndex>
  [[gnu::noinline]] static void fill(BlockTransfer* __restrict out, Block count, NextIndex next_index, Seat from,
                                     Seat to, Rank ring) {
    for (Block n = 0; n < count; ++n) {
      const Rank i = turned_up(next_index(), ring);
      out[n].src = from.at(i);
      out[n].dst = to.at(i);
    }
  }

  template <class NextIndex>
  static std::size_t fill_part(BlockTransfer* const out, Block count, NextIndex next_index, const LaidAxis& axis) {
    const LaidAxis a = axis;
    std::size_t filled = 0;
    for (Block n = 0; n < count; ++n) {
      const Rank index = turned_up(next_index(), a.ring);
      out[filled] = a.move(index);
      filled += a.has(index) ? 1 : 0;
    }
    return filled;
  }

  static void add_fixed_moves(const LaidAxis& a, const BlockAxis& blocks, Block x, Trace& trace) {
    if (!blocks.seen_by(0).contains(x)) return;
    for (Rank i = a.first; i <= a.last; i += a.gap) {
      *trace.room(1) = a.move(i);
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
    if (groups() != nullptr) trace.set_slots(groups()->of(b));
    for (const Series& series : series_) reader.pass_on(series, b, trace);
    visit(b, trace);
  }
}

}  // namespace onceover::schedules
