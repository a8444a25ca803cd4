// What `verify bound` reports: the bounds on a network, as text and as JSON.
#pragma once

#include <string>

#include "base/json.h"
#include "network/bounds.h"
#include "subjects/option_values.h"

namespace onceover::cli {

/// Bounds, and what they are about.
struct NetworkBounds {
  Collective collective;
  Rank root;
  Network network;
  PortGraph graph;
  TimeBound time;
  bool is_reached;
  int steps;  // by the ports
  Distance farthest;
};

std::string bound_text(const NetworkBounds& bounded);
Json bound_json(const NetworkBounds& bounded);

}  // namespace onceover::cli
