// A reduce-scatter from nothing but the peers that ranks talk to.
#pragma once

#include <functional>

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Whom a rank sends to at a step, 0 .. ranks-1. Nobody, if it is the rank itself.
using PeerFunction = std::function<Rank(Rank rank, int step)>;

/// What to do with a block that a rank reaches through its peers of several steps.
enum class Repeats {
  last,        // it goes at the last step that reaches it; right for every peer function whose paths reach everybody
  first,       // it goes at the first step that reaches it
  final_step,  // it goes in the last step of all
  at_once,     // each step sends what it reaches and what all later ones do
};

/// Adds a reduce-scatter of one block a rank: rank r can send a block at step s if its peer there is the owner or can
/// send it later on; with Repeats::last it sends what it does not reach by itself, later, so no block twice and never
/// its own. (Swing paper, figure 3 and section 3.2)
///
/// The ranks may be the first ones of a schedule with `extent` blocks.
/// Memory: ranks^2 * steps / 8 bytes while it is made, ranks^2 * 16 bytes after.
void add_reduce_scatter_along(PatternedSchedule::Builder& plan, Rank ranks, Rank extent, int steps,
                              const PeerFunction& peer, Repeats repeats = Repeats::last);

}  // namespace onceover::schedules
