// The options that describe the network on which a schedule runs, and NetworkPlan: the network that they name.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "network/cost.h"
#include "network/topology.h"
#include "schedules/schedule.h"
#include "subjects/option_values.h"

namespace onceover::subjects {

/// A number that the user may give.
using NumberOption = std::optional<Written<double>>;

/// Empty fields weren't given.
struct NetworkOptions {
  std::optional<TopologyChoice> topology = {};  // not given: a torus of the schedule's shape
  std::string map = {};                         // a file with the seat of each rank
  std::string ways = {};                        // a file that pins the ways of lanes and messages
  std::optional<Routing> routing = {};
  NumberOption ports = {};        // a whole number
  NumberOption bandwidth = {};    // Gb/s
  NumberOption latency = {};      // ns
  NumberOption hop_latency = {};  // ns
  NumberOption overhead = {};     // ns
  NumberOption reduction = {};    // Gb/s
};

/// Did the user give any of them?
inline bool is_given(const NetworkOptions& n) {
  return n.topology || !n.map.empty() || !n.ways.empty() || n.routing || n.ports || n.bandwidth || n.latency ||
         n.hop_latency || n.overhead || n.reduction;
}

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
