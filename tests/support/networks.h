// Networks by name, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "namespaces.h"
#include "network/topology.h"

namespace onceover::support {

/// "torus", "fat-tree:radix=8", of that shape.
inline Network network_of(const std::string& topology, const std::vector<Rank>& shape) {
  auto request = parse_topology(topology);
  REQUIRE(request);
  request->shape = shape;
  auto network = make_topology(*request);
  INFO(topology << ": " << (network ? "" : network.error()));
  REQUIRE(network);
  return std::move(*network);
}

}  // namespace onceover::support
