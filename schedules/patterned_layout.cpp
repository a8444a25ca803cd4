// Lays out a schedule's patterns for readers by step and for readers by block.
//
// What patterns have in common is stored once, as a form. Indices and places become ranks. The offsets of blocks are
// sorted by their residue mod the stride of the indices: indices are a stride apart, so the offsets between them and
// one block have the same residue. Offsets of one residue that are equally far apart make a stretch, which is a loop
// for the reader; those of short stretches are stored one by one. Patterns of successive steps that differ in one
// drifting offset make a series.
//
// Example: every second rank sends the offsets 1..100. The even ones are the stretch 2, 4, .., 100, the odd ones the
// stretch 1, 3, .., 99. A ring's steps, whose offsets fall by 1, are one series.
//
// Each pattern is laid out once, in one pass over its runs of offsets for each residue: O(stride * runs + offsets in no
// long stretch), and O(log forms) to find its form.

#include <algorithm>
#include <cassert>
#include <map>
#include <optional>
#include <utility>

#include "base/rows.h"
#include "schedules/numbers.h"
#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

namespace {

Block size_of(const std::vector<Run>& runs) {
  Block size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

Place settled(Place place, Rank ring) {
  return place.moves ? Place::by(around(place.offset, ring)) : place;
}

}  // namespace

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

/// Lays patterns out; those of one form share it.
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

  /// Points the axes at their runs, which don't move in memory any more.
  void finish() {
    find_series();
    std::size_t first = 0;
    for (BlockAxis& axis : schedule_.block_axes_) {
      axis.runs = {schedule_.runs_.data() + first, axis.runs.size()};
      first += axis.runs.size();
    }
    find_landings();
  }

 private:
  void add(int step, const Pattern& p) {
    if (p.lands.empty() && p.reads == 0) return lay(step, p, Role::whole, 0);
    const auto message = static_cast<std::uint32_t>(schedule_.patterns_.size());
    lay(step, p, Role::message, p.reads);
    schedule_.landings_[message];
    if (p.lands.empty()) lay(step, p, Role::landing, p.reads);
    for (const CopyLanding& landing : p.lands) {
      Pattern landed = p;
      for (std::size_t k = 0; k < p.axes.size(); ++k) landed.axes[k].blocks = landing.blocks[k];
      const bool is_empty = std::any_of(landing.blocks.begin(), landing.blocks.end(),
                                        [](const Blocks& blocks) { return blocks.offsets.empty(); });
      if (!is_empty) lay(step, landed, Role::landing, landing.into);
    }
  }

  void lay(int step, const Pattern& p, Role role, int into) {
    LaidPattern laid{.step = step,
                     .form = 0,
                     .residues = static_cast<std::uint32_t>(schedule_.residue_ends_.size() - 1),
                     .blocks = static_cast<std::uint32_t>(schedule_.block_axes_.size()),
                     .op = p.op,
                     .role = role,
                     .reads = static_cast<std::uint8_t>(p.reads),
                     .into = static_cast<std::uint8_t>(into)};
    std::vector<LaidAxis> axes;
    std::uint64_t messages = 1;
    std::uint64_t size = 1;
    Block block_count = 1;
    for (const Axis& axis : p.axes) block_count *= axis.block_extent();
    Block block_stride = block_count;
    for (const Axis& axis : p.axes) {
      block_stride /= axis.block_extent();
      axes.push_back(laid_out(axis, block_stride));
      add_blocks(axis, axes.back());
      messages *= static_cast<std::uint64_t>(axis.indices.count);
      size *= static_cast<std::uint64_t>(schedule_.block_axes_.back().count);
    }
    const Header& header = schedule_.header();
    const Block lane = p.lane * (header.blocks / header.lanes);
    laid.form = number_of({.first_axis = 0,
                           .axis_count = static_cast<std::uint32_t>(axes.size()),
                           .block_count = block_count,
                           .base = role == Role::message ? lane + p.reads * header.blocks : lane,
                           .size = static_cast<Block>(size),
                           .lane = static_cast<std::uint16_t>(p.lane),
                           .labels = number_of(p.labels)},
                          axes);
    schedule_.patterns_.push_back(laid);
    if (role != Role::message) schedule_.block_transfers_ += messages * size;
  }

  /// The landings of all messages as sets of blocks. Each message's follow it.
  void find_landings() {
    const Block blocks = schedule_.header().blocks;
    for (auto& [message, landings] : schedule_.landings_)
      for (std::size_t k = message + 1; k < schedule_.patterns_.size(); ++k) {
        const LaidPattern& p = schedule_.patterns_[k];
        if (p.role != Role::landing) break;
        const Form& form = schedule_.form_of(p);
        landings.push_back({BlockSet(schedule_.block_axes_of(p), form.size, 0, form.base + p.reads * blocks),
                            (p.into - p.reads) * blocks});
      }
  }

  /// Divides the patterns into series, each as long as possible.
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

  /// The difference between this pattern's offset and that of the one before it, if both may belong to one series.
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

  static LaidAxis laid_out(const Axis& axis, Block block_stride) {
    const Rank rank_stride = axis.rank_step == 0 ? block_stride : axis.rank_step;
    const Indices& indices = axis.indices;
    const Rank last = indices.first + (indices.count - 1) * indices.stride;
    auto seat = [&](Place place) {
      const Rank offset = settled(place, axis.ring).offset * rank_stride;
      const Rank ring = axis.ring * rank_stride;
      return place.moves ? Seat{-1, offset - ring, ring} : Seat{0, offset, 0};
    };
    assert(!axis.blocks.move || axis.ring <= axis.block_extent());
    return {.first = indices.first * rank_stride,
            .last = last * rank_stride,
            .gap = indices.stride * rank_stride,
            .ring = axis.ring * rank_stride,
            .from = seat(axis.from),
            .to = seat(axis.to),
            .rank_stride = rank_stride,
            .stride = indices.stride,
            .residues = axis.ring % indices.stride == 0 ? indices.stride : 1,
            .ring_places = axis.ring,
            .extent = axis.block_extent(),
            .block_stride = block_stride,
            .blocks_move = axis.blocks.move,
            .is_whole = axis.ring % indices.stride == 0 && indices.first < indices.stride &&
                        last + indices.stride >= axis.ring};
  }

  void add_blocks(const Axis& axis, const LaidAxis& laid) {
    const std::vector<Run> runs = axis.settled_offsets();
    schedule_.block_axes_.push_back({.runs = {static_cast<const Run*>(nullptr), runs.size()},
                                     .count = size_of(runs),
                                     .ring = axis.block_ring(),
                                     .extent = laid.extent,
                                     .stride = laid.block_stride,
                                     .moves = axis.blocks.move});
    schedule_.runs_.insert(schedule_.runs_.end(), runs.begin(), runs.end());
    if (axis.blocks.move) add_stretches(runs, laid);
  }

  void add_stretches(const std::vector<Run>& runs, const LaidAxis& axis) {
    const Rank stride = axis.residues;
    for (Rank residue = 0; residue < stride; ++residue) {
      Stretch last{0, 0, 0};
      for (const Run run : runs) {
        const Block first = run.first + around(residue - run.first, stride);
        if (first > run.last) continue;
        const Stretch next{first * axis.rank_stride, stride * axis.rank_stride, (run.last - first) / stride + 1};
        if (last.take(next)) continue;
        add(last);
        last = next;
      }
      add(last);
      schedule_.residue_ends_.push_back({static_cast<std::uint32_t>(schedule_.stretches_.size()),
                                         static_cast<std::uint32_t>(schedule_.single_.size())});
    }
  }

  /// Stores a stretch. Starting a short one takes longer than reading its offsets one by one.
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
  if (this->header().scratch == 0) return;
  Groups groups(this->header().blocks, this->header().scratch);
  for (Block b = this->header().blocks; b < this->header().all_blocks(); ++b) groups.join(b, b % this->header().blocks);
  groups.settle();
  set_groups(std::move(groups));
}

std::vector<Pattern> PatternedSchedule::patterns(int step) const {
  auto axis_of = [](const LaidAxis& axis, const BlockAxis& blocks) -> Axis {
    const Rank unit = axis.rank_stride;
    auto place = [&](const Seat& seat) {
      return seat.mask == 0 ? Place::at(seat.offset / unit) : Place::by((seat.offset + seat.ring) / unit);
    };
    return {.indices = {axis.first / unit, axis.gap / unit, (axis.last - axis.first) / axis.gap + 1},
            .ring = axis.ring_places,
            .from = place(axis.from),
            .to = place(axis.to),
            .blocks = {axis.blocks_move, {blocks.runs.begin(), blocks.runs.end()}},
            .extent = axis.extent,
            .rank_step = unit};
  };
  std::vector<Pattern> all;
  const auto s = static_cast<std::size_t>(step);
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) {
    const LaidPattern& laid = patterns_[k];
    const Form& form = form_of(laid);
    Pattern pattern{.axes = {}, .op = laid.op, .lane = form.lane, .labels = labels_[form.labels], .reads = laid.reads};
    const auto blocks = block_axes_of(laid);
    for (std::size_t a = 0; a < blocks.size(); ++a) pattern.axes.push_back(axis_of(axes_of(form)[a], blocks[a]));
    if (laid.role != Role::landing)
      all.push_back(std::move(pattern));
    else
      all.back().lands.push_back({mapped(pattern.axes, [](const Axis& axis) { return axis.blocks; }), laid.into});
  }
  return all;
}

}  // namespace onceover::schedules
