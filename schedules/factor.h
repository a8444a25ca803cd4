// Factor: a reduce-scatter of one dimension, and products of factors on tori.
#pragma once

#include <vector>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// A reduce-scatter along one dimension: what moves at each step, and what is still to be done.
///
/// A rank is *responsible* for a block until it has passed on its share of that block. Before the first step every
/// coordinate is responsible for all blocks, after the last step for its own; `keeps[s]` lists those before step s. In
/// a product, at a step in this dimension, a rank sends the blocks whose coordinate here is in `sends[s]` and for whose
/// other coordinates it is still responsible there. (Swing paper, section 4.1; bucket: section 2.3.4)
struct Factor {
  Rank extent;
  std::vector<std::vector<Axis>> sends;  // by step
  std::vector<std::vector<Axis>> keeps;  // before each step, and after the last; from and to are the index itself

  int steps() const { return static_cast<int>(sends.size()); }
};

/// What every coordinate is responsible for at first: all coordinates.
std::vector<Axis> keeps_all(Rank extent);

/// Ring: at each of extent-1 steps every coordinate sends one block to its neighbour, to the right (direction +1) or to
/// the left.
Factor ring_factor(Rank extent, int direction);

/// Swing for any extent, even or odd; `mirrored` reverses all directions. (Swing paper, sections 3.1.1, 3.2 and 4.1)
Factor swing_factor(Rank extent, bool mirrored);

/// Two ranks, `rank_step` apart, that exchange halves: extent 2, one step. Recursive halving is a product of such
/// factors.
Factor pair_factor(Rank rank_step);

/// Stands for a step of a product in which no factor does a step.
inline constexpr int idle = -1;

/// The lane on which a product runs, and the seats of its ranks (see Pattern::labels).
struct Seats {
  int lane = 0;
  std::shared_ptr<const std::vector<Rank>> labels = {};
};

/// Throws std::logic_error, with the rank, block and step, unless each rank
/// - sends each foreign block exactly once, after everything that it receives of that block;
/// - never sends its own block;
/// - keeps its own block and the blocks that it has yet to send.
///
/// Such a factor is a right reduce-scatter. So are its products, whatever the order of their steps (theorem
/// torus-products), and the time reversals of these are right allgathers. A factor that sends a block twice can be
/// right alone and wrong in a product.
///
/// Time and memory: O(runs and blocks sent by the ranks that are looked at; extent). If axes say the same of all ranks
/// of a residue, one rank of that residue is looked at.
void require_sent_once(const Factor& factor);

/// Adds the product's reduce-scatter from step 0 on: at each step of `order` the named factor does its next step. A
/// factor that `require_sent_once` refuses is a bug.
void add_product(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
                 const Seats& seats);

/// The same without that check, for factors that aren't reduce-scatters, such as a broadcast's.
void add_steps(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
               const Seats& seats);

/// Round-robin over the factors from `first` on, leaving out those that are finished. (Swing paper, sections 4.1, 4.2)
std::vector<int> round_robin(const std::vector<Factor>& factors, int first);

}  // namespace onceover::schedules
