#include "schedules/algorithms/folding.h"

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

Rank power_of_two_within(Rank n) {
  return is_power_of_two(n) ? n : Rank{1} << (ceil_log2(n) - 1);
}

Folding::Folding(std::vector<Rank> shape, std::vector<Rank> block_sides)
    : shape_(std::move(shape)), block_sides_(std::move(block_sides)), rank_steps_(shape_.size(), 1) {
  for (const Rank side : shape_) inner_.push_back(power_of_two_within(side));
  for (std::size_t k = shape_.size() - 1; k-- > 0;) rank_steps_[k] = rank_steps_[k + 1] * shape_[k + 1];
}

Axis Folding::whole(std::size_t dimension, Rank first, Rank end) const {
  return {.indices = Indices::range(first, end),
          .ring = shape_[dimension],
          .blocks = Blocks::all(block_sides_[dimension]),
          .extent = block_sides_[dimension],
          .rank_step = rank_steps_[dimension]};
}

// One dimension after the other, so that a rank with several surplus coordinates is folded at the first of them.
void Folding::fold(PatternedSchedule::Builder& plan, const Seats& seats) const {
  for (std::size_t folded = 0; folded < shape_.size(); ++folded) {
    if (inner_[folded] == shape_[folded]) continue;
    Pattern pattern{.axes = {}, .op = Op::reduce, .lane = seats.lane, .labels = seats.labels};
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      pattern.axes.push_back(whole(k, k == folded ? inner_[k] : 0, k < folded ? inner_[k] : shape_[k]));
      if (k == folded) pattern.axes.back().to = Place::by(-inner_[k]);
    }
    plan.begin_step();
    plan.add(std::move(pattern));
  }
}

void Folding::unfold(PatternedSchedule::Builder& plan, const Seats& seats) const {
  PatternedSchedule::Builder steps;
  fold(steps, seats);
  steps.reverse();
  plan.append(std::move(steps));
}

void add_whole_vector_exchanges(PatternedSchedule::Builder& plan, const std::vector<Rank>& shape, int first,
                                const Seats& seats, const WholeExchange& exchange) {
  const std::size_t dimensions = shape.size();
  const Folding folding(shape, std::vector<Rank>(dimensions, 1));
  auto add_step = [&](std::size_t moving, int step) {
    plan.begin_step();
    for (const auto& meeting : exchange(folding.inner()[moving], folding.rank_step(moving), step)) {
      Pattern pattern{.axes = {}, .op = Op::reduce, .lane = seats.lane, .labels = seats.labels};
      for (std::size_t k = 0; k < dimensions; ++k) {
        if (k == moving)
          pattern.axes.insert(pattern.axes.end(), meeting.begin(), meeting.end());
        else
          pattern.axes.push_back(folding.everything(k));
      }
      plan.add(std::move(pattern));
    }
  };
  folding.fold(plan, seats);
  int most_steps = 0;
  for (const Rank side : folding.inner()) most_steps = std::max(most_steps, ceil_log2(side));
  for (int s = 0; s < most_steps; ++s)
    for (std::size_t n = 0; n < dimensions; ++n) {
      const std::size_t k = (static_cast<std::size_t>(first) + n) % dimensions;
      if (s < ceil_log2(folding.inner()[k])) add_step(k, s);
    }
  folding.unfold(plan, seats);
}

}  // namespace onceover::schedules
