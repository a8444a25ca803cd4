// The time of a schedule when nobody waits for all: each rank goes on as soon as its own receives are in.
#pragma once

#include "network/cost.h"

namespace onceover {

/// Simulates the schedule for a vector of `bytes` and returns the time in ns at which the last rank is done.
///
/// A rank enters a step when all that was sent to it in earlier steps has arrived and is reduced; it then sends its
/// messages one after the other, `overhead` apart. A link passes flows on one at a time, in the order in which they
/// were sent; a flow holds it from when its head comes to the link, or the flow before is through. Heads go on without
/// waiting for their tails. Flows that are split hold each of their links for its share.
///
/// Time: O(log ranks + links on the way) a message; memory: O(links + messages of the steps between the first rank and
/// the last). The budget counts as in `follow`. One thread.
tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes);

}  // namespace onceover
