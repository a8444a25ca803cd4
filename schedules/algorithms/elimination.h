// Recursive halving for ranks beyond a power of two, by groups of three that become two.
#pragma once

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Rabenseifner's allreduce on a line of p ranks, p no power of two, with as many blocks as the largest power of two
/// below: p = 2^a + r. The third rank of a group sends one half of its vector to each of the two partners within the
/// first halving step; the r - 2^(a-1) ranks that no group has a place for are folded first. (Swing paper,
/// section 2.3.3)
PatternedSchedule::Builder eliminating_allreduce(Rank p);

}  // namespace onceover::schedules
