// Swing's peers, and the broadcast along them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

/// rho(s) = sum of (-2)^i for i = 0 .. s: how far an even rank's peer is, to the right if positive. (Swing paper, eq.
/// 2)
std::int64_t rho(int step);

/// The peer of a rank at a step among n ranks, n even. (Swing paper, eq. 2)
Rank swing_peer(Rank rank, int step, Rank n);

/// How far an even rank's peer is at a step, an odd number; an odd rank's is as far on the other side.
using ShiftOfStep = std::function<std::int64_t(int step)>;

/// The reduce-scatter of swing_factor (schedules/factor.h) with other peers. It is right if the peers' paths cover.
/// O(extent) time and memory.
Factor mirroring_factor(Rank extent, const ShiftOfStep& shift);

/// Why its steps on these sides are no exchanges of partners; empty if they are.
std::string_view odd_one_out_of(const std::vector<Rank>& shape);

/// Swing's own. Those of a mirrored lane are on the other side.
ShiftOfStep swing_shift(bool mirrored);

/// A broadcast of one block for each lane from rank 0: a rank that has the block sends it to its peer, if the peer
/// lacks it. On an odd side, coordinate 0 sends it to the last coordinate at the last step of that side. It is right if
/// the peers' paths cover. (Swing paper, sections 2.1 and 6)
PatternedSchedule::Builder mirroring_broadcast(const std::vector<Rank>& shape, int lanes,
                                               const std::function<ShiftOfStep(int lane)>& shift);

}  // namespace onceover::schedules
