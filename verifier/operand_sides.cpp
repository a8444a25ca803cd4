#include "verifier/operand_sides.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "verifier/rank_runs.h"

namespace onceover {

namespace {

/// The transfers of a schedule, found by step, receiver, sender and block.
class TransferIndex {
 public:
  explicit TransferIndex(const Schedule& schedule) {
    std::vector<Transfer> of_step;
    for (int step = 0; step < schedule.steps(); ++step) {
      first_.push_back(transfers_.size());
      schedule.transfers(step, of_step);
      transfers_.insert(transfers_.end(), of_step.begin(), of_step.end());
    }
    first_.push_back(transfers_.size());
    sorted_.resize(transfers_.size());
    std::iota(sorted_.begin(), sorted_.end(), std::size_t{0});
    for (std::size_t step = 0; step + 1 < first_.size(); ++step)
      std::stable_sort(at(first_[step]), at(first_[step + 1]),
                       [&](std::size_t a, std::size_t b) { return ends(a) < ends(b); });
  }

  std::size_t size() const { return transfers_.size(); }

  /// The position of the first transfer that carried the move.
  std::size_t find(const Replay::Move& move, Block block) const {
    const auto step = static_cast<std::size_t>(move.step);
    auto place = std::lower_bound(at(first_[step]), at(first_[step + 1]), std::tuple(move.dst, move.src),
                                  [&](std::size_t a, const auto& wanted) { return ends(a) < wanted; });
    while (!transfers_[*place].blocks.contains(block)) ++place;
    return *place;
  }

 private:
  std::tuple<Rank, Rank> ends(std::size_t position) const {
    return {transfers_[position].dst, transfers_[position].src};
  }
  std::vector<std::size_t>::iterator at(std::size_t k) { return sorted_.begin() + static_cast<std::ptrdiff_t>(k); }
  std::vector<std::size_t>::const_iterator at(std::size_t k) const {
    return sorted_.begin() + static_cast<std::ptrdiff_t>(k);
  }

  std::vector<Transfer> transfers_;
  std::vector<std::size_t> first_;   // of each step
  std::vector<std::size_t> sorted_;  // positions, within each step by receiver and sender
};

/// Calls visit(move) for each move whose value arrives on the right.
template <class Visit>
void for_each_from_right(const Replay& replay, const RankRuns& runs, std::vector<Term>& held, Visit&& visit) {
  held.resize(static_cast<std::size_t>(replay.header().ranks));
  for (Rank r = 0; r < replay.header().ranks; ++r)
    held[static_cast<std::size_t>(r)] =
        replay.header().holds(contract(replay.header().collective).begins, r, replay.block()) ? replay.terms().leaf(r)
                                                                                              : Term::nothing;
  for (const Replay::Move& move : replay.moves()) {
    Term& value = held[static_cast<std::size_t>(move.dst)];
    if (move.op == Op::reduce && runs.is_used(move.after) && runs.of(value).is_just_before(runs.of(move.sent)))
      visit(move);
    value = move.after;
  }
}

}  // namespace

std::vector<std::vector<Run>> operands_from_right(const Schedule& schedule) {
  const TransferIndex index(schedule);
  std::vector<std::vector<Run>> from_right(index.size());
  Replay replay(schedule.header());
  RankRuns runs;
  std::vector<Term> held;
  schedule.traces({0, schedule.header().blocks}, [&](Block block, const Trace& trace) {
    replay.run(block, trace);
    runs.find(replay);
    for_each_from_right(replay, runs, held, [&](const Replay::Move& move) {
      std::vector<Run>& blocks = from_right[index.find(move, block)];
      if (!blocks.empty() && blocks.back().last + 1 == block)
        blocks.back().last = block;
      else if (blocks.empty() || blocks.back().last < block)
        blocks.push_back({block, block});
    });
  });
  return from_right;
}

}  // namespace onceover
