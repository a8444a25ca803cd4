// The options that say on what network a schedule runs.
#pragma once

#include <string>

#include "base/namespaces.h"

namespace onceover::subjects {

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

}  // namespace onceover::subjects
