// Swing's peers, and what is built on them alone.
#pragma once

#include <cstdint>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

/// rho(s) = sum of (-2)^i for i = 0 .. s: how far, and to which side, an even rank's peer is. (Swing paper, eq. 2)
std::int64_t rho(int step);

/// The peer of a rank at a step among n ranks, n even. (Swing paper, eq. 2)
Rank swing_peer(Rank rank, int step, Rank n);

/// A broadcast of one block a lane from rank 0: who has the block sends it to its peer, where that has none. On an odd
/// side the last coordinate gets it from coordinate 0 at the last step of that side. (Swing paper, sections 2.1 and 6)
PatternedSchedule::Builder swing_broadcast(const std::vector<Rank>& shape, int lanes);

}  // namespace onceover::schedules
