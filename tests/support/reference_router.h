// Routes found the slow way: every shortest path is written down.
#pragma once

#include <map>
#include <vector>

#include "namespaces.h"
#include "network/link_loads.h"
#include "network/network.h"
#include "schedules/schedule.h"

namespace onceover::support {

/// All shortest paths between two ranks, each as its links.
std::vector<std::vector<Link>> shortest_paths(const Network& network, Rank src, Rank dst);

/// The part of a flow on each link: the mean over all shortest paths, or a split in halves, thirds, .. at every node.
std::map<Link, Rational> flow_over_paths(const Network& network, Rank src, Rank dst);
std::map<Link, Rational> flow_split_at_nodes(const Network& network, Rank src, Rank dst);

/// Blocks on each link of a step, flows going over all shortest paths.
std::map<Link, Rational> reference_loads(const Schedule& schedule, const Network& network, int step);

}  // namespace onceover::support
