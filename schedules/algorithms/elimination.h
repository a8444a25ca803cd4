// Recursive halving for numbers of ranks beyond a power of two: groups of three become groups of two.
#pragma once

#include "schedules/patterned_schedule.h"

namespace onceover::schedules {

/// Rabenseifner's allreduce on a torus with sides n = 2^a + r, with 2^a blocks a side, near partners first, round-robin
/// over the sides. Within the first halving step of a side, the third rank of a group sends each of its two partners
/// one half of its vector. If r > 2^(a-1), then r - 2^(a-1) ranks of the side belong to no group; they are folded
/// first. (Swing paper, section 2.3.3, which has it on a line)
PatternedSchedule::Builder eliminating_allreduce(const std::vector<Rank>& shape);

}  // namespace onceover::schedules
