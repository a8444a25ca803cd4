// NetworkPlan: the network that options name.
#pragma once

#include <string>

#include "base/result.h"
#include "network/cost.h"
#include "network/topology.h"
#include "schedules/schedule.h"
#include "subjects/network_options.h"

namespace onceover::subjects {

/// The options, parsed and in range.
struct NetworkPlan {
  LinkSpeeds links;
  RankSpeeds ranks;
  Routing routing = Routing::minimal;
  int ports = 0;  // 0: the network's own number
};

NetworkPlan plan_of(const NetworkOptions& options);

/// Refuses a topology that is neither in the table nor a file.
Result<void> check_topology(const TopologyChoice& choice);

/// Makes the network that the options name, for a schedule with this header. Reads files.
Result<Network> make_network(const NetworkOptions& options, const NetworkPlan& plan, const Header& header);

/// The failure for a schedule that can't be followed: exit code 1 if it isn't well-formed, 4 if a budget ran out.
Failure failure_of(const Unroutable& reason);

}  // namespace onceover::subjects
