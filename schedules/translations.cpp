// A pattern says, for each index i of an axis: "coordinate i + a sends to coordinate i + b". If its indices are all of
// the ring, or every second one, turning the ring by that stride takes the messages to each other. All messages of a
// pattern are equally large. So if the axes are the dimensions of the torus, each dimension may be turned by the least
// common multiple of the strides of its axes; it may not be turned if other indices or places are in one of them.
//
// Example: Swing on a 4x6 torus. At every step, every second coordinate of one dimension sends to another one, and all
// or every second one of the other dimension do so. So strides 2x2 change nothing: of a step's 24 messages on a lane, 4
// stand for all.

#include "schedules/translations.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "base/stop.h"

namespace onceover::schedules {

namespace {

Rank product(const std::vector<Rank>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), Rank{1}, std::multiplies<>());
}

bool moves(const Axis& axis) {
  return axis.from.moves && axis.to.moves;
}

/// For each dimension, the number of the axis that it is in the pattern, or of no axis if the side is 1. Nothing if the
/// axes aren't the dimensions of the torus.
std::optional<std::vector<std::size_t>> axes_of(const Pattern& pattern, const std::vector<Rank>& sides) {
  const auto& all = pattern.axes;
  std::vector<std::size_t> axes(sides.size(), all.size());
  std::ptrdiff_t found = 0;
  Rank step = product(sides);
  for (std::size_t d = 0; d < sides.size(); ++d) {
    step /= sides[d];
    if (sides[d] == 1) continue;
    const auto axis =
        std::find_if(all.begin(), all.end(), [&](const Axis& a) { return a.rank_step == step && a.ring == sides[d]; });
    if (axis == all.end()) return std::nullopt;
    axes[d] = static_cast<std::size_t>(axis - all.begin());
    ++found;
  }
  const auto is_flat = [](const Axis& axis) { return axis.ring == 1 && moves(axis); };
  if (found + std::count_if(all.begin(), all.end(), is_flat) != std::ssize(all)) return std::nullopt;
  return axes;
}

/// By how much the ring may be turned: by less than all of it if that takes the axis to itself.
Rank stride_of(const Axis& axis) {
  return moves(axis) && axis.is_turned_onto_itself() ? axis.indices.stride : axis.ring;
}

}  // namespace

Translations::Translations(std::vector<Rank> sides, std::vector<Rank> strides)
    : sides_(std::move(sides)),
      strides_(std::move(strides)),
      orbits_(product(strides_)),
      orbit_size_(product(sides_) / orbits_) {}

Rank Translations::orbit_of(Rank place) const {
  if (orbit_size_ == 1) return place;
  Rank orbit = 0;
  Rank weight = 1;
  for (std::size_t d = sides_.size(); d-- > 0; place /= sides_[d]) {
    orbit += place % sides_[d] % strides_[d] * weight;
    weight *= strides_[d];
  }
  return orbit;
}

Rank Translations::member(Rank orbit, Rank k) const {
  if (orbit_size_ == 1) return orbit;
  Rank place = 0;
  Rank weight = 1;
  for (std::size_t d = sides_.size(); d-- > 0;) {
    const Rank times = sides_[d] / strides_[d];
    place += (orbit % strides_[d] + k % times * strides_[d]) * weight;
    orbit /= strides_[d];
    k /= times;
    weight *= sides_[d];
  }
  return place;
}

Translations Translations::without(std::size_t d) const {
  std::vector<Rank> sides = sides_, strides = strides_;
  sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(d));
  strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(d));
  return {std::move(sides), std::move(strides)};
}

Translations translations_of(const PatternedSchedule& schedule, const std::vector<Rank>& sides,
                             std::span<const int> steps) {
  std::vector<Rank> strides(sides.size(), 1);
  for (const int step : steps) {
    stop_point();
    for (const Pattern& pattern : schedule.patterns(step)) {
      const auto axes = axes_of(pattern, sides);
      if (!axes || pattern.labels != nullptr) return Translations::none(sides);
      for (std::size_t d = 0; d < sides.size(); ++d)
        if (sides[d] > 1) strides[d] = std::lcm(strides[d], stride_of(pattern.axes[(*axes)[d]]));
    }
  }
  return {sides, strides};
}

SchedulePtr one_of_each_orbit(const PatternedSchedule& schedule, const Translations& translations,
                              std::span<const int> steps) {
  const auto& sides = translations.sides();
  PatternedSchedule::Builder plan;
  plan.extend_to(schedule.steps());
  for (const int step : steps)
    for (Pattern& pattern : schedule.patterns(step)) {
      const auto axes = axes_of(pattern, sides);
      for (std::size_t d = 0; d < sides.size(); ++d) {
        if (translations.strides()[d] == sides[d]) continue;
        Indices& indices = pattern.axes[axes.value()[d]].indices;
        indices.count = translations.strides()[d] / indices.stride;
      }
      plan.add(step, std::move(pattern));
    }
  return std::make_shared<const PatternedSchedule>(schedule.header(), std::move(plan));
}

}  // namespace onceover::schedules
