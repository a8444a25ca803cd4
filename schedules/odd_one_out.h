// OddOneOut: the one rank without a partner where the others exchange in pairs.
#pragma once

#include <vector>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// The last coordinate of an odd extent, and which of the others it has yet to exchange with, in their reduce-scatter.
/// (Swing paper, section 3.2 and figure 4)
class OddOneOut {
 public:
  explicit OddOneOut(Rank last) : last_(last) {}

  /// Adds a step: this coordinate and some of the remaining others send each other the block that the receiver owns.
  /// Half of them take part, rounded up; in the last step all.
  void exchange(bool in_last_step, std::vector<Axis>& sends) {
    const Rank remaining = last_ - served_;
    const Rank count = in_last_step ? remaining : (remaining + 1) / 2;
    exchange_with(served_, served_ + count, sends);
    served_ += count;
  }

  /// Adds the exchange with the coordinates first .. end-1.
  void exchange_with(Rank first, Rank end, std::vector<Axis>& sends) const {
    const Indices others = Indices::range(first, end);
    sends.push_back(axis(others, Place::at(last_), Place::by(0), Blocks::relative({0})));
    sends.push_back(axis(others, Place::by(0), Place::at(last_), Blocks::fixed({last_})));
  }

  /// Adds what is still to be exchanged, as responsibilities.
  void keep(std::vector<Axis>& keeps) const {
    std::vector<Block> own{last_};
    for (Rank other = served_; other < last_; ++other) own.push_back(other);
    keeps.push_back(axis(Indices::only(0), Place::at(last_), Place::at(last_), Blocks::fixed(own)));
    keeps.push_back(axis(Indices::range(served_, last_), Place::by(0), Place::by(0), Blocks::fixed({last_})));
  }

 private:
  Axis axis(Indices indices, Place from, Place to, Blocks blocks) const {
    return {
        .indices = indices, .ring = last_, .from = from, .to = to, .blocks = std::move(blocks), .extent = last_ + 1};
  }

  Rank last_;
  Rank served_ = 0;
};

}  // namespace onceover::schedules
