// Ranks that a network treats alike.
#pragma once

#include <vector>

#include "network/network.h"

namespace onceover::network {

/// For each rank the first one that some symmetry of the network takes to it: turns of a grid that take its links to
/// links of the same speed, else exchanges of two ranks with links to the same nodes, as those of one leaf switch. A
/// symmetry keeps bandwidths, latencies, which links are half duplex, and which nodes forward. Some may be missed.
/// O(links log links).
std::vector<Rank> alike_ranks(const Network& network);

}  // namespace onceover::network
