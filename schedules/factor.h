// Reduce-scatters of one dimension, and their products on tori.
#pragma once

#include <vector>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// A reduce-scatter along one dimension: what moves at each step, and what stays to be done.
///
/// A rank is *responsible* for a block until it has passed its share of it on. Before the first step every coordinate
/// is responsible for all of them, after the last one for its own; `keeps[s]` says for which before step s. In a
/// product a rank sends, at a step in this dimension, the blocks whose coordinate here is in `sends[s]` and whose other
/// coordinates it is still responsible for there. (Swing paper, section 4.1; bucket: section 2.3.4)
struct Factor {
  Rank extent;
  std::vector<std::vector<Axis>> sends;  // by step
  std::vector<std::vector<Axis>> keeps;  // before each step, and after the last one; from and to are the index itself

  int steps() const { return static_cast<int>(sends.size()); }
};

/// What every coordinate is responsible for at first: all coordinates.
std::vector<Axis> keeps_all(Rank extent);

/// Ring: every coordinate sends one block to its neighbour at each of extent-1 steps; to the right (direction +1) or
/// left.
Factor ring_factor(Rank extent, int direction);

/// Swing for any extent, even or odd; mirrored: all directions reversed. (Swing paper, sections 3.1.1, 3.2 and 4.1)
Factor swing_factor(Rank extent, bool mirrored);

/// A pair of ranks, `rank_step` apart, that exchanges halves: extent 2, one step. Products of it are recursive halving.
Factor pair_factor(Rank rank_step);

/// A step of an interleaving: the number of the factor that does its next step, or `idle`.
inline constexpr int idle = -1;

/// The lane that a product runs on, and the seats of its ranks (see Pattern::labels).
struct Seats {
  int lane = 0;
  std::shared_ptr<const std::vector<Rank>> labels = {};
};

/// Throws std::logic_error, with the rank, block and step, unless each rank sends each foreign block exactly once,
/// after all that it receives of it, and its own never, and keeps what it has yet to send and its own block. That makes
/// the factor a right reduce-scatter, and its products, too, whatever the order of their steps (theorem
/// torus-products), and the time reversals of these. A factor that sends a block twice can be right alone and wrong in
/// a product.
///
/// O(runs of blocks, and blocks sent, by one rank of each residue that axes speak of alike; extent), time and memory.
void require_sent_once(const Factor& factor);

/// Adds the product's reduce-scatter, from step 0 on: at each step of `order` the named factor does its next step.
/// Factors that `require_sent_once` refuses are bugs.
void add_product(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
                 const Seats& seats);

/// The same of factors that nobody looks at: of a broadcast, say, which is no reduce-scatter.
void add_steps(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, const std::vector<int>& order,
               const Seats& seats);

/// Adds the first `steps` steps of the factors one after the other. Each works on the sums that the one before it left,
/// so it need only be right alone: it may send a block to several ranks.
void add_in_turn(PatternedSchedule::Builder& plan, const std::vector<Factor>& factors, int steps, const Seats& seats);

/// Round-robin over the factors, starting with `first`, leaving out those that are done. (Swing paper,
/// sections 4.1, 4.2)
std::vector<int> round_robin(const std::vector<Factor>& factors, int first);

}  // namespace onceover::schedules
