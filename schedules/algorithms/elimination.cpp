#include "schedules/algorithms/elimination.h"

#include <algorithm>

#include "schedules/algorithms/algorithms.h"
#include "schedules/algorithms/folding.h"

namespace onceover::schedules {

namespace {

/// Divides p = 2^a + r ranks into 2^(a-1) groups of two; as many groups as necessary get a third rank.
class Elimination {
 public:
  explicit Elimination(Rank p) : p_(p), inner_(power_of_two_within(p)), pairs_(inner_ / 2) {
    triples_ = std::min(p - inner_, pairs_);
    // Seat 3i + j is member j of group i. Groups of two leave seat 3i + 2 free.
    auto seats = std::make_shared<std::vector<Rank>>(std::size_t{3} * static_cast<std::size_t>(pairs_), 0);
    Rank next = 0;
    for (Rank i = 0; i < pairs_; ++i)
      for (Rank j = 0; j < (i < triples_ ? 3 : 2); ++j) (*seats)[static_cast<std::size_t>(3 * i + j)] = next++;
    labels_ = std::move(seats);
  }

  PatternedSchedule::Builder allreduce() const {
    PatternedSchedule::Builder core = halving();
    core.append_reversal();
    PatternedSchedule::Builder plan;
    const Rank surplus = p_ - inner_ - triples_;
    if (surplus > 0) plan.begin_step(), plan.add(surplus_gives(surplus));
    plan.append(std::move(core));
    if (surplus > 0) {
      PatternedSchedule::Builder back;
      back.begin_step();
      back.add(surplus_gives(surplus));
      back.reverse();
      plan.append(std::move(back));
    }
    return plan;
  }

 private:
  PatternedSchedule::Builder halving() const {
    PatternedSchedule::Builder plan;
    std::vector<Factor> factors;
    const int bits = ceil_log2(inner_);
    for (int bit = bits - 1; bit > 0; --bit) factors.push_back(pair_factor(3 * (Rank{1} << (bit - 1))));
    factors.push_back(pair_factor(1));
    std::vector<int> order;
    for (int k = bits - 1; k >= 0; --k) order.push_back(k);
    add_product(plan, factors, order, {.lane = 0, .labels = labels_});
    for (const Rank member : {0, 1}) plan.add(0, third_gives(member));
    return plan;
  }

  /// The third rank of each group sends a member the half that this member keeps.
  Pattern third_gives(Rank member) const {
    const Axis groups{.indices = Indices::range(0, triples_),
                      .ring = pairs_,
                      .blocks = Blocks::all(pairs_),
                      .extent = pairs_,
                      .rank_step = 3};
    const Axis third{.indices = Indices::only(0),
                     .ring = 3,
                     .from = Place::at(2),
                     .to = Place::at(member),
                     .blocks = Blocks::fixed({member}),
                     .extent = 2,
                     .rank_step = 1};
    return {.axes = {groups, third}, .op = Op::reduce, .lane = 0, .labels = labels_};
  }

  /// The last ranks, which belong to no group, send their vectors to the first ranks.
  Pattern surplus_gives(Rank surplus) const {
    return {.axes = {{.indices = Indices::range(p_ - surplus, p_),
                      .ring = p_,
                      .to = Place::by(surplus),
                      .blocks = Blocks::all(inner_),
                      .extent = inner_,
                      .rank_step = 1}},
            .op = Op::reduce,
            .lane = 0};
  }

  Rank p_;
  Rank inner_;
  Rank pairs_;
  Rank triples_;
  std::shared_ptr<const std::vector<Rank>> labels_;
};

}  // namespace

PatternedSchedule::Builder eliminating_allreduce(Rank p) {
  return Elimination(p).allreduce();
}

}  // namespace onceover::schedules
