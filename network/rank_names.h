// What a schedule calls the ranks of a network.
#pragma once

#include <string>

#include "network/flows.h"
#include "network/network.h"

namespace onceover::network {

/// "rank 3 (node 1, gpu 1)", "switch 2", or the node's name in the network's file. O(ranks) if the rank
/// sits elsewhere than on the node of its number.
std::string node_text(const Network& network, Node node, const Names& names);

/// "rank 3 (node 1, gpu 1) -> switch 2".
std::string link_text(const Network& network, Link link, const Names& names);

/// A transfer that can't be followed.
Unroutable not_well_formed(const Transfer& transfer, const Names& names, int step);

/// Ranks that the network doesn't join.
Unroutable no_way(Rank from, Rank to, const Names& names);

}  // namespace onceover::network
