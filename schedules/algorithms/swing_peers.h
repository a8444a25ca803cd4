// Swing's peers, and what is built on them alone.
#pragma once

#include <cstdint>

#include "schedules/algorithms/algorithms.h"

namespace onceover {

/// rho(s) = sum of (-2)^i for i = 0 .. s: how far, and to which side, an even rank's peer is. (Swing paper, eq. 2)
std::int64_t rho(int step);

/// x mod n, never negative.
Rank around(std::int64_t x, Rank n);

/// The peer of a rank at a step among n ranks, n even. (Swing paper, eq. 2)
Rank swing_peer(Rank rank, int step, Rank n);

/// A broadcast of one block from rank 0 on a line: who has the block sends it to its peer, where that has none. For odd
/// p rank p-1 gets it from the root at the last step. (Swing paper, section 2.1 and 6)
PatternedSchedule::Builder swing_broadcast(Rank p);

}  // namespace onceover
