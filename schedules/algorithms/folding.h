// Tori whose sides are no powers of two, folded onto ones whose are.
#pragma once

#include <functional>
#include <vector>

#include "schedules/factor.h"
#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// The largest power of two that is at most n.
Rank power_of_two_within(Rank n);

/// A torus, and the largest torus of powers of two inside it. Coordinate n' + i of a side n gives its vector to i
/// before the work on the inner torus, and gets the result back after it. (Swing paper, section 2.3.2)
class Folding {
 public:
  /// `block_sides`: how many block coordinates each dimension has; 1 everywhere for whole vectors.
  Folding(std::vector<Rank> shape, std::vector<Rank> block_sides);

  const std::vector<Rank>& inner() const { return inner_; }

  /// Ranks from one coordinate of a dimension to the next.
  Rank rank_step(std::size_t dimension) const { return rank_steps_[dimension]; }

  /// Adds the steps that fold, or those that unfold: one for each dimension that needs it.
  void fold(PatternedSchedule::Builder& plan, const Seats& seats) const;
  void unfold(PatternedSchedule::Builder& plan, const Seats& seats) const;

  /// All coordinates of a dimension that take part in the inner torus, each with all blocks.
  Axis everything(std::size_t dimension) const { return whole(dimension, 0, inner_[dimension]); }

 private:
  Axis whole(std::size_t dimension, Rank first, Rank end) const;

  std::vector<Rank> shape_;
  std::vector<Rank> inner_;
  std::vector<Rank> block_sides_;
  std::vector<Rank> rank_steps_;
};

/// The ways in which the coordinates of one dimension meet at a step: alternatives, each a list of axes for the
/// dimension.
using Meetings = std::vector<std::vector<Axis>>;

/// The exchange of step `step` on a dimension of power-of-two side, with `rank_step` ranks from one coordinate to the
/// next.
using WholeExchange = std::function<Meetings(Rank side, Rank rank_step, int step)>;

/// Adds the allreduce that exchanges whole vectors, one block: folds, then log2 n exchanges per dimension of the inner
/// torus, round-robin from dimension `first`, leaving out those that are done, then unfolds.
/// (Swing paper, sections 2.3.2 and 3.1.2)
void add_whole_vector_exchanges(PatternedSchedule::Builder& plan, const std::vector<Rank>& shape, int first,
                                const Seats& seats, const WholeExchange& exchange);

}  // namespace onceover::schedules
