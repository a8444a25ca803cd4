// Changes schedules, one transfer at a time.
#pragma once

#include <random>
#include <set>
#include <utility>

#include "plain_schedule.h"

namespace onceover {

/// Seeded: the same mutants every time.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  /// A copy that differs by one change.
  PlainSchedule mutant_of(const PlainSchedule& original) {
    PlainSchedule mutant = changed(original);
    while (mutant.steps == original.steps) mutant = changed(original);
    return mutant;
  }

 private:
  PlainSchedule changed(PlainSchedule plain) {
    plain_ = &plain;
    const int count = static_cast<int>(plain.steps.size());
    step_ = &plain.steps[static_cast<std::size_t>(below(count))];
    at_ = step_->begin() + below(static_cast<int>(step_->size()));
    switch (below(7)) {
      case 0:
        step_->erase(at_);
        break;
      case 1:
        step_->push_back(PlainTransfer(*at_));
        break;
      case 2:
        at_->dst = below(plain.header.ranks);
        break;
      case 3:
        at_->src = below(plain.header.ranks);
        break;
      case 4:
        std::swap(*step_, plain.steps[static_cast<std::size_t>(below(count))]);
        break;
      case 5:
        at_->op = at_->op == Op::copy ? Op::reduce : Op::copy;
        break;
      default:
        change_block();
    }
    return plain;
  }

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  void change_block() {
    std::set<Block> blocks(at_->blocks.begin(), at_->blocks.end());
    blocks.erase(*std::next(blocks.begin(), below(static_cast<int>(blocks.size()))));
    blocks.insert(below(plain_->header.blocks));
    at_->blocks.assign(blocks.begin(), blocks.end());
  }

  std::mt19937 random_;
  PlainSchedule* plain_ = nullptr;
  std::vector<PlainTransfer>* step_ = nullptr;
  std::vector<PlainTransfer>::iterator at_;
};

}  // namespace onceover
