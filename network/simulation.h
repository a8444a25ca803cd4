// The time of a schedule when nobody waits for all: each rank goes on as soon as its own receives are in.
#pragma once

#include "network/cost.h"

namespace onceover::network {

/// Simulates the schedule for a vector of `bytes` and returns the time in ns at which the last rank is done.
///
/// A rank enters a step of a lane when all that was sent to it in that lane's earlier steps has arrived and is reduced;
/// lanes don't wait for each other, but a rank reduces one message at a time. It then sends the step's messages; each
/// holds one of the rank's ports, from when `overhead` is over until it is through, and so it does where it arrives. A
/// link passes flows on one at a time, in the order in which their heads come to it; heads go on without waiting for
/// their tails. A flow that is split takes all links of its next hop when the first of its heads is there, and holds
/// each for its share.
///
/// Time: O(ranks) for each step of a lane, and for each hop of a message O(log messages + its links * its heads);
/// memory: O(links + messages of the steps between the first rank and the last). The budget counts as in `follow`. One
/// thread.
tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes);

}  // namespace onceover::network
