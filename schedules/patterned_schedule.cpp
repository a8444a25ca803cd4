#include "schedules/patterned_schedule.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/stop.h"
#include "schedules/block_set.h"
#include "schedules/numbers.h"

namespace onceover::schedules {

namespace {

std::vector<Run> single_runs(const std::vector<Block>& blocks) {
  stop_point();
  std::vector<Run> runs;
  for (const Block b : blocks) runs.push_back({b, b});
  return runs;
}

}  // namespace

Blocks Blocks::relative(const std::vector<Block>& offsets) {
  return {true, single_runs(offsets)};
}

Blocks Blocks::fixed(const std::vector<Block>& blocks) {
  return {false, single_runs(blocks)};
}

bool Axis::is_turned_onto_itself() const {
  const auto& [first, stride, count] = indices;
  return stride >= 1 && first >= 0 && first < stride && ring % stride == 0 && count == ring / stride;
}

std::vector<Run> Axis::settled_offsets() const {
  stop_point();
  const Block around_ring = block_ring();
  std::vector<Run> runs;
  for (const Run run : blocks.offsets) {
    const Block first = around(run.first, around_ring);
    const Block last = first + run.size() - 1;
    assert(run.size() <= around_ring);
    if (last >= around_ring) runs.push_back({0, last - around_ring});
    runs.push_back({first, std::min(last, around_ring - 1)});
  }
  [[maybe_unused]] const auto twice = normalise(runs);
  assert(!twice);
  return runs;
}

bool is_permutation(const std::vector<Rank>& labels, Rank ranks) {
  std::vector<bool> is_taken(static_cast<std::size_t>(ranks));
  for (const Rank rank : labels) {
    if (rank < 0 || rank >= ranks || is_taken[static_cast<std::size_t>(rank)]) return false;
    is_taken[static_cast<std::size_t>(rank)] = true;
  }
  return labels.size() == is_taken.size();
}

namespace {

/// Of ranks that send their partners the blocks that these own: they send their own ones, too.
void add_own_blocks(Pattern& pattern) {
  for (Axis& axis : pattern.axes) {
    assert(axis.from.moves && axis.to.moves);
    if (axis.from.offset == axis.to.offset) continue;
    const auto partner = axis.settled_offsets();
    assert(axis.blocks.move && partner.size() == 1 && partner[0].size() == 1);
    assert(around(axis.from.offset, axis.ring) == 0 && around(axis.to.offset, axis.ring) == partner[0].first);
    axis.blocks = Blocks::relative({0, partner[0].first});
  }
}

}  // namespace

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
      for (Axis& axis : pattern.axes) axis.blocks.offsets = axis.settled_offsets();
  Builder backward = *this;
  backward.reverse();
  append(std::move(backward));
}

void PatternedSchedule::Builder::append_merged_reversal() {
  if (steps_.empty()) return;
  std::vector<Pattern> meeting = std::move(steps_.back());
  steps_.pop_back();
  for (Pattern& pattern : meeting) add_own_blocks(pattern);
  const auto middle = static_cast<std::ptrdiff_t>(steps_.size());
  append_reversal();
  steps_.insert(steps_.begin() + middle, std::move(meeting));
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
      assert(pattern.reads == 0 && pattern.lands.empty());
      for (Axis& axis : pattern.axes) std::swap(axis.from, axis.to);
      pattern.op = op;
    }
}

void PatternedSchedule::Builder::seat(std::vector<Rank> seats) {
  const auto labels = std::make_shared<const std::vector<Rank>>(std::move(seats));
  for (auto& step : steps_)
    for (Pattern& pattern : step) {
      assert(pattern.labels == nullptr);
      pattern.labels = labels;
    }
}

/// Runs through the indices of patterns, axis by axis, and makes their transfers.
class PatternedSchedule::Sender {
 public:
  Sender(const PatternedSchedule& schedule, const TransferVisitor& visit)
      : schedule_(schedule), visit_(visit), some_(at_once) {}

  void send(std::uint32_t number) {
    const LaidPattern& pattern = schedule_.patterns_[number];
    if (pattern.role == Role::landing) return;
    form_ = &schedule_.form_of(pattern);
    const BlockSet blocks(schedule_.block_axes_of(pattern), form_->size, 0, form_->base);
    like_ = {0,          0,           blocks,
             pattern.op, form_->lane, pattern.role == Role::message ? &schedule_.landings_.at(number) : nullptr};
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

  /// Adds transfers for all indices of these axes; `from` and `code` come from the axes before them.
  void send(std::span<const LaidAxis> axes, BlockTransfer from, Rank code) {
    const LaidAxis a = axes.front();
    const bool is_last = axes.size() == 1;
    const Rank code_step = a.ring_places <= a.extent ? a.stride : 0;
    code = code * a.extent + (code_step == 0 ? 0 : a.first / a.rank_stride);
    for (Rank i = a.first; i <= a.last; i += a.gap, code += code_step) {
      const BlockTransfer move{from.src + a.from.at(i), from.dst + a.to.at(i)};
      if (is_last)
        add(move, code);
      else
        send(axes.subspan(1), move, code);
    }
  }

  void add(BlockTransfer move, Rank code) {
    if (form_->labels != 0) move = schedule_.labelled(*form_, move);
    if (used_ == prepared_) prepare();
    Transfer& added = some_[used_++];
    added.src = move.src;
    added.dst = move.dst;
    added.blocks.turn_to(code);
    if (used_ == at_once) finish();
  }

  /// Writes the common parts of the pattern's transfers into the next few.
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
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) sender.send(static_cast<std::uint32_t>(k));
  sender.finish();
}

/// Everything that determines the messages of a step, except the blocks in them.
std::vector<std::int64_t> PatternedSchedule::messages_of(int step) const {
  const auto s = static_cast<std::size_t>(step);
  std::vector<std::int64_t> messages;
  for (std::size_t k = step_ends_[s]; k < step_ends_[s + 1]; ++k) {
    const Form& f = form_of(patterns_[k]);
    if (patterns_[k].role == Role::landing) {
      messages.insert(messages.end(), {-1, f.size});
      continue;
    }
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

}  // namespace onceover::schedules
