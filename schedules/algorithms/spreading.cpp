// Before step s, the ranks are divided into runs of 2^s, of which the last may be shorter. The sum of each run is held
// by ceil(p / 2^(L-s)) ranks, its holders; other ranks hold nothing that counts. In the step, runs 2j and 2j+1 become
// one: the i-th holder of the one exchanges with the i-th of the other. A last run without a partner needs more holders
// all the same, so each of its holders gives a copy to a rank that holds nothing that counts.
//
// Example: p = 6. 0-1, 2-3 and 4-5 exchange. Runs 0-1 and 2-3 become one, which needs 3 holders: 2 and 3 give to 0 and
// 1, and 0 gives to 2. So 3 is free, and 4 gives it a copy of run 4-5. Then 0, 1, 2 exchange with 4, 5, 3.
//
// There are enough free ranks if, at each step, the runs times the holders of each are p at most. The condition of
// refuse_spreading says the same; a test compares the two.

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <vector>

#include "base/stop.h"
#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

using Ranks = std::vector<Rank>;

/// Who sends to whom at a step.
struct Moves {
  std::vector<BlockTransfer> sums;
  std::vector<BlockTransfer> copies;
};

class Spreading {
 public:
  explicit Spreading(Rank p) : p_(p) {
    for (Rank r = 0; r < p; ++r) holders_.push_back({r});
  }

  /// Doubles the runs; afterwards each has `needed` holders.
  Moves step(std::size_t needed) {
    Moves moves;
    std::vector<Ranks> doubled;
    for (std::size_t j = 0; j + 1 < holders_.size(); j += 2)
      doubled.push_back(joined(holders_[j], holders_[j + 1], needed, moves));
    if (holders_.size() % 2 == 1) doubled.push_back(holders_.back());
    copy_last(doubled, needed, moves);
    holders_ = std::move(doubled);
    return moves;
  }

 private:
  static Ranks joined(const Ranks& low, const Ranks& high, std::size_t needed, Moves& moves) {
    Ranks all = low;
    for (std::size_t i = 0; i < low.size(); ++i) {
      moves.sums.push_back({high[i], low[i]});
      if (all.size() == needed) continue;
      moves.sums.push_back({low[i], high[i]});
      all.push_back(high[i]);
    }
    return all;
  }

  /// Gives the last run as many holders as the others have.
  void copy_last(std::vector<Ranks>& doubled, std::size_t needed, Moves& moves) const {
    Ranks& last = doubled.back();
    const std::size_t before = last.size();
    if (before == needed) return;
    std::vector<bool> counts(static_cast<std::size_t>(p_));
    for (const Ranks& holders : doubled)
      for (const Rank r : holders) counts[static_cast<std::size_t>(r)] = true;
    for (Rank r = 0; last.size() < needed; ++r) {
      if (counts[static_cast<std::size_t>(r)]) continue;
      assert(r < p_ && last.size() < 2 * before);
      moves.copies.push_back({last[last.size() - before], r});
      last.push_back(r);
    }
  }

  Rank p_;
  std::vector<Ranks> holders_;  // by run
};

/// Adds a pattern for each stretch of neighbouring ranks that send equally far.
void add_moves(PatternedSchedule::Builder& plan, Rank p, std::vector<BlockTransfer> moves, Op op) {
  const auto shift = [](const BlockTransfer& move) { return move.dst - move.src; };
  std::sort(moves.begin(), moves.end(), [&](const BlockTransfer& a, const BlockTransfer& b) {
    return std::pair(shift(a), a.src) < std::pair(shift(b), b.src);
  });
  for (std::size_t begin = 0, end = 0; begin < moves.size(); begin = end) {
    while (end < moves.size() && shift(moves[end]) == shift(moves[begin]) &&
           moves[end].src - moves[begin].src == static_cast<Rank>(end - begin))
      ++end;
    plan.add({.indices = Indices::range(moves[begin].src, moves[end - 1].src + 1),
              .ring = p,
              .to = Place::by(shift(moves[begin])),
              .blocks = Blocks::all(1),
              .extent = 1},
             op);
  }
}

}  // namespace

std::optional<std::string> refuse_spreading(Rank p) {
  const int steps = ceil_log2(p);
  const std::int64_t most = std::int64_t{1} << steps;
  for (int t = 1; t <= steps; ++t) {
    const std::int64_t divisor = std::int64_t{1} << t;
    if (p > most - (most >> t) && p % divisor != 0)
      return fmt::format(
          "remainder=spread takes {} steps, and with one value a rank p = {} needs one more: {} doesn't divide it",
          steps, p, divisor);
  }
  return std::nullopt;
}

PatternedSchedule::Builder spreading_allreduce(Rank p) {
  PatternedSchedule::Builder plan;
  Spreading spreading(p);
  for (std::int64_t runs = std::int64_t{1} << ceil_log2(p); runs > 1; runs /= 2) {
    stop_point();
    const std::int64_t later = runs / 2;
    Moves moves = spreading.step(static_cast<std::size_t>((p + later - 1) / later));
    plan.begin_step();
    add_moves(plan, p, std::move(moves.sums), Op::reduce);
    add_moves(plan, p, std::move(moves.copies), Op::copy);
  }
  return plan;
}

}  // namespace onceover::schedules
