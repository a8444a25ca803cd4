// Allreduces on tori whose sides are not powers of two: folded onto tori whose sides are, or halved in groups of three
// that become groups of two.
#pragma once

#include <functional>
#include <vector>

#include "schedules/factor.h"
#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// The largest power of two that is at most n.
Rank power_of_two_within(Rank n);

/// A torus, and the largest torus with powers of two as sides inside it. Coordinate n' + i of a side n sends its vector
/// to coordinate i before the work on the inner torus, and gets the result back afterwards. (Swing paper, section
/// 2.3.2)
class Folding {
 public:
  /// `block_sides`: how many block coordinates each dimension has; 1 for whole vectors.
  Folding(std::vector<Rank> shape, std::vector<Rank> block_sides);

  const std::vector<Rank>& inner() const { return inner_; }

  /// How many ranks lie between neighbouring coordinates of a dimension.
  Rank rank_step(std::size_t dimension) const { return rank_steps_[dimension]; }

  /// Adds the steps that fold, or those that unfold: one for each dimension whose side is not a power of two.
  void fold(PatternedSchedule::Builder& plan, const Seats& seats) const;
  void unfold(PatternedSchedule::Builder& plan, const Seats& seats) const;

  /// All coordinates of a dimension in the inner torus, each with all blocks.
  Axis everything(std::size_t dimension) const { return whole(dimension, 0, inner_[dimension]); }

 private:
  Axis whole(std::size_t dimension, Rank first, Rank end) const;

  std::vector<Rank> shape_;
  std::vector<Rank> inner_;
  std::vector<Rank> block_sides_;
  std::vector<Rank> rank_steps_;
};

/// How the coordinates of one dimension exchange at a step: alternatives, each with a list of axes for the dimension.
using Meetings = std::vector<std::vector<Axis>>;

/// The exchange of step `step` on a dimension whose side is a power of two. Neighbouring coordinates are `rank_step`
/// ranks apart.
using WholeExchange = std::function<Meetings(Rank side, Rank rank_step, int step)>;

/// Adds an allreduce that exchanges whole vectors of one block. It folds, then makes log2 n exchanges for each
/// dimension of the inner torus, then unfolds. The exchanges go round-robin over the dimensions from `first` on,
/// leaving out those that are finished. (Swing paper, sections 2.3.2 and 3.1.2)
void add_whole_vector_exchanges(PatternedSchedule::Builder& plan, const std::vector<Rank>& shape, int first,
                                const Seats& seats, const WholeExchange& exchange);

/// Rabenseifner's allreduce on a torus with sides n = 2^a + r, with 2^a blocks a side, near partners first, round-robin
/// over the sides. Within the first halving step of a side, the third rank of a group sends each of its two partners
/// one half of its vector. If r > 2^(a-1), then r - 2^(a-1) ranks of the side belong to no group; they are folded
/// first. (Swing paper, section 2.3.3, which has it on a line)
PatternedSchedule::Builder eliminating_allreduce(const std::vector<Rank>& shape);

}  // namespace onceover::schedules
