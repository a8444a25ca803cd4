// A reduce-scatter made only from the peers that ranks exchange with.
#pragma once

#include <functional>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// The rank that a rank sends to at a step, 0 .. ranks-1; the rank itself if it sends to nobody.
using PeerFunction = std::function<Rank(Rank rank, int step)>;

/// When to send a block that a rank reaches through its peers of several steps.
enum class Repeats {
  last,        // at the last step that reaches it; right for every peer function whose paths reach everybody
  first,       // at the first step that reaches it
  final_step,  // in the last step of all
  at_once,     // each step sends what it and all later steps reach
};

/// Adds a reduce-scatter with one block for each rank. Rank r can send a block at step s if its peer there owns it or
/// can send it later. With Repeats::last it sends of these only the blocks that it can't send later itself, so it sends
/// no block twice and never its own. (Swing paper, figure 3 and section 3.2)
///
/// The ranks may be the first ones of a schedule with `extent` blocks. Memory: ranks^2 * steps / 8 bytes while the
/// schedule is made, ranks^2 * 16 bytes afterwards.
void add_reduce_scatter_along(PatternedSchedule::Builder& plan, Rank ranks, Rank extent, int steps,
                              const PeerFunction& peer, Repeats repeats = Repeats::last);

}  // namespace onceover::schedules
