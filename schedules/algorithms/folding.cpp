#include "schedules/algorithms/folding.h"

#include <algorithm>

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

namespace {

/// One side of a torus, n = 2^a + r coordinates in 2^(a-1) groups of two; as many groups as necessary get a third
/// coordinate. Seat width * i + j is member j of group i; groups of two leave the third seat free.
class Side {
 public:
  explicit Side(Rank n) : n_(n), inner_(power_of_two_within(n)), groups_(inner_ / 2) {
    thirds_ = std::min(n - inner_, groups_);
    width_ = thirds_ > 0 ? 3 : 2;
  }

  Rank coordinates() const { return n_; }
  Rank blocks() const { return inner_; }
  int bits() const { return ceil_log2(inner_); }
  Rank surplus() const { return n_ - inner_ - thirds_; }

  /// The coordinate on each seat; 0 on free ones.
  std::vector<Rank> seats() const {
    std::vector<Rank> seats(static_cast<std::size_t>(std::max(width_ * groups_, 1)), 0);
    Rank next = 0;
    for (Rank i = 0; i < groups_; ++i)
      for (Rank j = 0; j < (i < thirds_ ? 3 : 2); ++j) seats[static_cast<std::size_t>(width_ * i + j)] = next++;
    return seats;
  }

  /// All coordinates that still take part when `done` bits have been halved, each with the blocks that it has left;
  /// neighbouring seats are `gap` seats of the torus apart.
  Meetings remaining(int done, Rank gap) const {
    Meetings meetings{pairs(gap, done, false)};
    if (done == 0 && thirds_ > 0) meetings.push_back(third(gap, Place::at(2), Blocks::all(2)));
    return meetings;
  }

  /// The exchange of bit `done`, with which a third coordinate sends each member of its group the half that it keeps.
  Meetings halving(int done, Rank gap) const {
    Meetings meetings{pairs(gap, done, true)};
    if (done == 0 && thirds_ > 0)
      for (const Rank member : {0, 1}) meetings.push_back(third(gap, Place::at(member), Blocks::fixed({member})));
    return meetings;
  }

  /// The last coordinates, which belong to no group, send their vectors to the first ones, or all that still take part
  /// wait for another side.
  Axis folding(Rank gap) const {
    Axis axis = whole(n_ - surplus(), n_, gap);
    axis.to = Place::by(surplus());
    return axis;
  }
  Axis waiting(bool is_folded, Rank gap) const { return whole(0, is_folded ? n_ - surplus() : n_, gap); }

 private:
  /// One axis for each bit, the highest first.
  std::vector<Axis> pairs(Rank gap, int done, bool halves) const {
    std::vector<Axis> axes;
    for (int bit = bits() - 1; bit >= 0; --bit) {
      const Factor pair = pair_factor(bit == 0 ? gap : gap * width_ * (Rank{1} << (bit - 1)));
      axes.push_back(halves && bit == done ? pair.sends[0][0] : pair.keeps[bit < done ? 1 : 0][0]);
    }
    return axes;
  }

  std::vector<Axis> third(Rank gap, Place to, Blocks half) const {
    return {{.indices = Indices::range(0, thirds_),
             .ring = groups_,
             .blocks = Blocks::all(groups_),
             .extent = groups_,
             .rank_step = width_ * gap},
            {.indices = Indices::only(0),
             .ring = 3,
             .from = Place::at(2),
             .to = to,
             .blocks = std::move(half),
             .extent = 2,
             .rank_step = gap}};
  }

  Axis whole(Rank first, Rank end, Rank gap) const {
    return {.indices = Indices::range(first, end),
            .ring = n_,
            .blocks = Blocks::all(inner_),
            .extent = inner_,
            .rank_step = gap};
  }

  Rank n_;
  Rank inner_;
  Rank groups_;
  Rank thirds_;
  Rank width_;
};

class Elimination {
 public:
  explicit Elimination(const std::vector<Rank>& shape) : sides_(shape.begin(), shape.end()) {
    std::vector<Rank> labels{0};
    for (const Side& side : sides_) {
      std::vector<Rank> longer;
      for (const Rank prefix : labels)
        for (const Rank c : side.seats()) longer.push_back(prefix * side.coordinates() + c);
      labels = std::move(longer);
    }
    labels_ = std::make_shared<const std::vector<Rank>>(std::move(labels));
  }

  PatternedSchedule::Builder allreduce() const {
    PatternedSchedule::Builder plan;
    for (std::size_t k = 0; k < sides_.size(); ++k)
      if (sides_[k].surplus() > 0) fold(plan, k);
    int most_bits = 0;
    for (const Side& side : sides_) most_bits = std::max(most_bits, side.bits());
    for (int bit = 0; bit < most_bits; ++bit)
      for (std::size_t k = 0; k < sides_.size(); ++k)
        if (bit < sides_[k].bits()) halve(plan, k, bit);
    plan.append_reversal();
    return plan;
  }

 private:
  void fold(PatternedSchedule::Builder& plan, std::size_t moving) const {
    Pattern pattern;
    Rank gap = 1;
    for (std::size_t k = sides_.size(); k-- > 0; gap *= sides_[k].coordinates())
      pattern.axes.insert(pattern.axes.begin(),
                          k == moving ? sides_[k].folding(gap) : sides_[k].waiting(k < moving, gap));
    plan.begin_step();
    plan.add(std::move(pattern));
  }

  /// Sides before `moving` have halved one bit more than those after it.
  void halve(PatternedSchedule::Builder& plan, std::size_t moving, int bit) const {
    std::vector<std::vector<Axis>> patterns{{}};
    Rank gap = 1;
    for (std::size_t k = sides_.size(); k-- > 0; gap *= static_cast<Rank>(sides_[k].seats().size())) {
      const Side& side = sides_[k];
      const int done = std::min(side.bits(), k < moving ? bit + 1 : bit);
      std::vector<std::vector<Axis>> longer;
      for (const auto& first : k == moving ? side.halving(bit, gap) : side.remaining(done, gap))
        for (const auto& rest : patterns) {
          longer.push_back(first);
          longer.back().insert(longer.back().end(), rest.begin(), rest.end());
        }
      patterns = std::move(longer);
    }
    plan.begin_step();
    for (auto& axes : patterns) plan.add({.axes = std::move(axes), .op = Op::reduce, .lane = 0, .labels = labels_});
  }

  std::vector<Side> sides_;
  std::shared_ptr<const std::vector<Rank>> labels_;
};

}  // namespace

PatternedSchedule::Builder eliminating_allreduce(const std::vector<Rank>& shape) {
  return Elimination(shape).allreduce();
}

}  // namespace onceover::schedules
