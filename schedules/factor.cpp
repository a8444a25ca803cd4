#include "schedules/factor.h"

#include <cassert>

namespace onceover::schedules {

std::vector<Axis> keeps_all(Rank extent) {
  return {{.indices = Indices::range(0, extent), .ring = extent, .blocks = Blocks::all(extent)}};
}

Factor ring_factor(Rank extent, int direction) {
  Factor ring{.extent = extent, .sends = {}, .keeps = {keeps_all(extent)}};
  for (Rank s = 0; s < extent - 1; ++s) {
    // After step s a coordinate is responsible for its own block and for those 2+s, 3+s, .. places behind it.
    const Run behind = direction > 0 ? Run{-(extent - 1), -(2 + s)} : Run{2 + s, extent - 1};
    Blocks kept = Blocks::relative({0});
    if (behind.size() > 0) kept.offsets.push_back(behind);
    ring.sends.push_back({{.indices = Indices::range(0, extent),
                           .ring = extent,
                           .to = Place::by(direction),
                           .blocks = Blocks::relative({-direction * (1 + s)})}});
    ring.keeps.push_back({{.indices = Indices::range(0, extent), .ring = extent, .blocks = std::move(kept)}});
  }
  return ring;
}

Factor pair_factor(Rank rank_step) {
  Factor pair = ring_factor(2, +1);
  for (auto* steps : {&pair.sends, &pair.keeps})
    for (auto& axes : *steps)
      for (Axis& axis : axes) axis.rank_step = rank_step;
  return pair;
}

namespace {

/// Adds a pattern for every combination of one axis from each list.
void add_combinations(PatternedSchedule::Builder& plan, int step, const Seats& seats,
                      const std::vector<const std::vector<Axis>*>& choices) {
  std::vector<std::size_t> chosen(choices.size(), 0);
  for (const auto* list : choices)
    if (list->empty()) return;
  while (true) {
    Pattern pattern{.axes = {}, .op = Op::reduce, .lane = seats.lane, .labels = seats.labels};
    for (std::size_t k = 0; k < choices.size(); ++k) pattern.axes.push_back((*choices[k])[chosen[k]]);
    plan.add(step, std::move(pattern));
    std::size_t k = choices.size();
    while (k > 0 && ++chosen[k - 1] == choices[k - 1]->size()) chosen[--k] = 0;
    if (k == 0) return;
  }
}

}  // namespace

void add_steps(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
               const Seats& seats) {
  plan.extend_to(static_cast<int>(order.size()));
  std::vector<std::size_t> done(factors.size(), 0);
  for (std::size_t s = 0; s < order.size(); ++s) {
    if (order[s] == idle) continue;
    const auto moving = static_cast<std::size_t>(order[s]);
    std::vector<const std::vector<Axis>*> choices;
    for (std::size_t k = 0; k < factors.size(); ++k)
      choices.push_back(k == moving ? &factors[k].sends[done[k]] : &factors[k].keeps[done[k]]);
    add_combinations(plan, static_cast<int>(s), seats, choices);
    ++done[moving];
  }
}

void add_product(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
                 const Seats& seats) {
  for (const Factor& factor : factors) require_sent_once(factor);
  add_steps(plan, factors, order, seats);
}

std::vector<int> round_robin(const std::vector<Factor>& factors, int first) {
  const int count = static_cast<int>(factors.size());
  std::vector<int> left;
  int total = 0;
  for (const Factor& factor : factors) left.push_back(factor.steps()), total += factor.steps();
  std::vector<int> order;
  for (int k = first; static_cast<int>(order.size()) < total; ++k)
    if (left[static_cast<std::size_t>(k % count)]-- > 0) order.push_back(k % count);
  return order;
}

}  // namespace onceover::schedules
