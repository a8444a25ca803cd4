#include "verifier/operand_sides.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "verifier/replay.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

namespace {

/// The transfers of a schedule, which can be found by step, receiver, sender and block.
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
  std::vector<std::size_t> first_;   // by step
  std::vector<std::size_t> sorted_;  // positions, in each step by receiver and sender
};

/// Finds, for one block after another, the moves whose value is a right operand.
class RightOperands {
 public:
  explicit RightOperands(const Schedule& schedule)
      : replay_(schedule.header()), held_(static_cast<std::size_t>(schedule.header().ranks)) {}

  template <class Visit>
  void for_each(Block block, const Trace& trace, Visit&& visit) {
    replay_.run(block, trace);
    find_runs();
    start(block);
    for (const Replay::Move& move : replay_.moves()) {
      Term& held = held_[static_cast<std::size_t>(move.dst)];
      if (move.op == Op::reduce && order_.run_of(move.after).is_run() &&
          order_.run_of(held).last + 1 == order_.run_of(move.sent).first)
        visit(move);
      held = move.after;
    }
  }

 private:
  void find_runs() {
    results_.clear();
    for (Rank r = 0; r < replay_.header().ranks; ++r)
      if (replay_.must_hold(r)) results_.push_back(replay_.value(r));
    order_.walk(replay_.terms(), results_);
  }

  void start(Block block) {
    const Holders begins = contract(replay_.header().collective).begins;
    for (Rank r = 0; r < replay_.header().ranks; ++r)
      held_[static_cast<std::size_t>(r)] =
          replay_.header().holds(begins, r, block) ? replay_.terms().leaf(r) : Term::nothing;
  }

  Replay replay_;
  OrderWalk order_;
  std::vector<Term> results_;
  std::vector<Term> held_;  // by rank, while the moves of a step apply
};

}  // namespace

std::vector<std::vector<Run>> operands_from_right(const Schedule& schedule) {
  const TransferIndex index(schedule);
  std::vector<std::vector<Run>> from_right(index.size());
  RightOperands operands(schedule);
  schedule.traces({0, schedule.header().blocks}, [&](Block block, const Trace& trace) {
    operands.for_each(block, trace, [&](const Replay::Move& move) {
      std::vector<Run>& blocks = from_right[index.find(move, block)];
      if (!blocks.empty() && blocks.back().last + 1 == block)
        blocks.back().last = block;
      else if (blocks.empty() || blocks.back().last < block)
        blocks.push_back({block, block});
    });
  });
  return from_right;
}

}  // namespace onceover::verifier
