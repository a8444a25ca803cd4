// Whereabouts: where one rank's contribution to a block is, step by step.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "viz/messages.h"

namespace onceover::viz {

/// The ranks that hold a contribution, and the moves that bring it to a rank. With scratch a rank holds it if any block
/// of the group does. O(moves of the block + ranks).
class Whereabouts {
 public:
  Whereabouts(const Schedule& schedule, Block block, Rank contributor);

  /// A move after which its receiver holds the contribution.
  struct Leg {
    int step;
    Rank src;
    Rank dst;
    friend auto operator<=>(const Leg&, const Leg&) = default;
  };

  const std::set<Leg>& legs() const { return legs_; }

  /// By rank, the steps that it begins with the contribution, as ranges.
  const std::map<Rank, std::vector<StepRange>>& stays() const { return stays_; }

 private:
  std::set<Leg> legs_;
  std::map<Rank, std::vector<StepRange>> stays_;
};

}  // namespace onceover::viz
