// Recursive halving for numbers of ranks beyond a power of two: groups of three become groups of two.
#pragma once

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Rabenseifner's allreduce on a line of p ranks, where p = 2^a + r is not a power of two, with 2^a blocks. Within the
/// first halving step, the third rank of a group sends each of its two partners one half of its vector. If r > 2^(a-1),
/// then r - 2^(a-1) ranks belong to no group; they are folded first. (Swing paper, section 2.3.3)
PatternedSchedule::Builder eliminating_allreduce(Rank p);

}  // namespace onceover::schedules
