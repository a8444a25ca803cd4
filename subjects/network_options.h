// The options that say on what network a schedule runs.
#pragma once

#include <optional>
#include <string>

#include "subjects/option_values.h"

namespace onceover::subjects {

/// A number that the user may give.
using NumberOption = Later<Written<double>>;

/// Nothing where not given. Mistakes are told by `plan_of`.
struct NetworkOptions {
  std::optional<TopologyChoice> topology = {};  // nothing: a torus of the schedule's shape
  std::string map = {};                         // a file: the seat of each rank
  Later<Routing> routing = {};
  NumberOption ports = {};        // a whole number
  NumberOption bandwidth = {};    // Gb/s
  NumberOption latency = {};      // ns
  NumberOption hop_latency = {};  // ns
  NumberOption overhead = {};     // ns
  NumberOption reduction = {};    // Gb/s
};

}  // namespace onceover::subjects
