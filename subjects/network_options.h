// The options that describe the network on which a schedule runs.
#pragma once

#include <optional>
#include <string>

#include "subjects/option_values.h"

namespace onceover::subjects {

/// A number that the user may give.
using NumberOption = Later<Written<double>>;

/// Empty fields weren't given. `plan_of` reports mistakes.
struct NetworkOptions {
  std::optional<TopologyChoice> topology = {};  // not given: a torus of the schedule's shape
  std::string map = {};                         // a file with the seat of each rank
  Later<Routing> routing = {};
  NumberOption ports = {};        // a whole number
  NumberOption bandwidth = {};    // Gb/s
  NumberOption latency = {};      // ns
  NumberOption hop_latency = {};  // ns
  NumberOption overhead = {};     // ns
  NumberOption reduction = {};    // Gb/s
};

/// Did the user give any of them, even with a mistake?
inline bool is_given(const NetworkOptions& n) {
  return n.topology || !n.map.empty() || is_given(n.routing) || is_given(n.ports) || is_given(n.bandwidth) ||
         is_given(n.latency) || is_given(n.hop_latency) || is_given(n.overhead) || is_given(n.reduction);
}

}  // namespace onceover::subjects
