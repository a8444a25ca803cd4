// Broadcast and reduce along Swing's peers, or others that are as far on one side for even ranks as on the other side
// for odd ones, with root 0.

#include "schedules/algorithms/swing_peers.h"

namespace onceover::schedules {

namespace {

/// The coordinates as axes like `like`, one for each maximal progression first, first + stride, ..; `ascending` is
/// sorted.
std::vector<Axis> progressions(const std::vector<Rank>& ascending, Rank stride, const Axis& like) {
  std::vector<Axis> axes;
  for (const Rank c : ascending) {
    if (axes.empty() || axes.back().indices.first + stride * axes.back().indices.count != c) {
      axes.push_back(like);
      axes.back().indices = {c, stride, 0};
    }
    ++axes.back().indices.count;
  }
  return axes;
}

/// The coordinates of one dimension that have the block, as it spreads from coordinate 0.
class Spread {
 public:
  Spread(Rank extent, Rank rank_step, ShiftOfStep shift)
      : extent_(extent), even_part_(extent - extent % 2), shift_(std::move(shift)) {
    one_block_ = {.indices = {}, .ring = extent, .blocks = Blocks::all(1), .extent = 1, .rank_step = rank_step};
    holds_.resize(static_cast<std::size_t>(extent));
    holds_[0] = true;
  }

  int steps() const { return ceil_log2(even_part_); }

  std::vector<Axis> holders() const {
    std::vector<Rank> list;
    for (Rank c = 0; c < extent_; ++c)
      if (has(c)) list.push_back(c);
    return progressions(list, 1, one_block_);
  }

  /// Each coordinate that has the block sends it to its peer, if the peer lacks it. In the last step coordinate 0
  /// serves the last coordinate of an odd side.
  std::vector<Axis> step(int s) {
    std::vector<Axis> sends;
    std::vector<Rank> reached;
    for (const Rank parity : {0, 1}) {
      const Rank shift = around(parity == 0 ? shift_(s) : -shift_(s), even_part_);
      std::vector<Rank> senders;
      for (Rank c = parity; c < even_part_; c += 2) {
        const Rank peer = around(std::int64_t{c} + shift, even_part_);
        if (!has(c) || has(peer)) continue;
        senders.push_back(c);
        reached.push_back(peer);
      }
      Axis like = one_block_;
      like.ring = even_part_;
      like.to = Place::by(shift);
      for (Axis& axis : progressions(senders, 2, like)) sends.push_back(std::move(axis));
    }
    if (even_part_ != extent_ && s + 1 == steps()) {
      Axis to_odd_one = one_block_;
      to_odd_one.to = Place::at(even_part_);
      sends.push_back(to_odd_one);
      reached.push_back(even_part_);
    }
    for (const Rank c : reached) holds_[static_cast<std::size_t>(c)] = true;
    return sends;
  }

 private:
  bool has(Rank c) const { return holds_[static_cast<std::size_t>(c)]; }

  Rank extent_;
  Rank even_part_;
  ShiftOfStep shift_;
  Axis one_block_;
  std::vector<bool> holds_;
};

Factor spread_factor(Rank extent, Rank rank_step, const ShiftOfStep& shift) {
  Spread spread(extent, rank_step, shift);
  Factor factor{.extent = extent, .sends = {}, .keeps = {spread.holders()}};
  for (int s = 0; s < spread.steps(); ++s) {
    factor.sends.push_back(spread.step(s));
    factor.keeps.push_back(spread.holders());
  }
  return factor;
}

}  // namespace

PatternedSchedule::Builder mirroring_broadcast(const std::vector<Rank>& shape, int lanes,
                                               const std::function<ShiftOfStep(int lane)>& shift) {
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<Factor> factors(shape.size());
    Rank rank_step = 1;
    for (std::size_t d = shape.size(); d-- > 0; rank_step *= shape[d])
      factors[d] = spread_factor(shape[d], rank_step, shift(lane));
    add_steps(plan, factors, round_robin(factors, lane), {.lane = lane});
  }
  plan.reverse(Op::reduce);
  plan.reverse(Op::copy);
  return plan;
}

}  // namespace onceover::schedules
