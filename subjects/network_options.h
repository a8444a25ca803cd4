// The options that describe the network on which a schedule runs.
#pragma once

#include <optional>
#include <string>

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

}  // namespace onceover::subjects
