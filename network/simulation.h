// Simulation: the time of a schedule if each rank goes on as soon as its own receives have arrived.
#pragma once

#include "network/cost.h"

namespace onceover::network {

/// Simulates the schedule for a vector of `bytes` bytes, and returns the time in ns at which the last rank is done.
///
/// A rank enters a step of a lane when everything sent to it in that lane's earlier steps has arrived and is reduced.
/// Lanes don't wait for each other, but a rank reduces one message at a time. It then sends the step's messages. Each
/// holds one of the rank's ports from the end of `overhead` until it has passed, and also one of the receiver's. A
/// link, with the way back if it is half duplex, passes flows on one at a time, in the order in which their heads reach
/// it; heads go on without waiting for their tails. A flow that is split takes all links of its next hop when the first
/// of its heads is there, and holds each for its share.
///
/// Time: O(ranks) for each step of a lane, and O(log messages + its links * its heads) for each hop of a message.
/// Memory: O(links + messages of the steps between the first rank and the last). The budget counts as in `follow`. It
/// uses one thread.
tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes);

/// The same, and each message as it arrives.
tl::expected<double, Unroutable> simulate(const Schedule& schedule, const Network& network, const FlowOptions& options,
                                          const RankSpeeds& speeds, double bytes, const MessageVisitor& visit);

/// The same for each of these sizes, on as many threads as the options say; each needs that memory.
tl::expected<std::vector<double>, Unroutable> simulate_each(const Schedule& schedule, const Network& network,
                                                            const FlowOptions& options, const RankSpeeds& speeds,
                                                            const std::vector<double>& sizes);

}  // namespace onceover::network
