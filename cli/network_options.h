// The options that say on what network a schedule runs.
#pragma once

#include <string>
#include <string_view>

#include "cli/exit_code.h"
#include "network/cost.h"
#include "network/topology.h"
#include "schedules/schedule.h"

namespace onceover::cli {

/// As the user gave them; empty where not given.
struct NetworkOptions {
  std::string topology;  // name:key=value,.. or a file; empty: a torus of the schedule's shape
  std::string map;       // a file: the seat of each rank
  std::string routing;
  std::string ports;
  std::string bandwidth;    // Gb/s
  std::string latency;      // ns
  std::string hop_latency;  // ns
  std::string overhead;     // ns
  std::string reduction;    // Gb/s
};

/// The same, understood and in range.
struct NetworkPlan {
  LinkSpeeds links;
  RankSpeeds ranks;
  Routing routing = Routing::minimal;
  int ports = 0;  // 0: as the network says
};

Result<NetworkPlan> plan_of(const NetworkOptions& options);

/// The network that the options name, for a schedule with that header. Reads files.
Result<Network> make_network(const NetworkOptions& options, const NetworkPlan& plan, const Header& header);

/// A number from `least` to `most`, or a usage error that names the flag.
Result<double> parse_number(std::string_view flag, const std::string& text, double least, double most);

/// A schedule that can't be followed, as the end of a command: 1 if it isn't well-formed, 4 if a budget ran out.
Failure failure_of(const Unroutable& reason);

}  // namespace onceover::cli
