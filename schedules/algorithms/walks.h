// Scatter, gather and alltoall, in which each block walks around the ring from one rank to another.
#pragma once

#include <functional>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

/// The most ranks of an alltoall: a step may move all of its p^2 blocks.
inline constexpr Rank most_alltoall_ranks = 1 << 11;

/// How many of the `distance` ranks to its right a block has walked before a step: none before the first step, all of
/// them after the last.
using Walked = std::function<Rank(int step, Rank distance)>;

/// The alltoall or scatter in which blocks walk so, or the gather in which they walk back. What a rank sends to another
/// in one step is one message. O(m log m) time for each step that moves m blocks; 8 bytes for each of them, or less.
SchedulePtr walking(const Algorithm& row, const Request& request, int steps, const Walked& walked);

/// Digits of the distance in base `radix`, the lowest first (near ranks) or the highest (far ranks).
Walked by_lowest_digits(Rank radix);
Walked by_highest_digits(Rank radix, int digits);

}  // namespace onceover::schedules
