// Networks by name, for tests.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
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

/// A topology's text, and a shape that it takes.
using NamedNetwork = std::pair<std::string, std::vector<Rank>>;

/// The others, and every topology of the table with its presets and that shape.
inline std::vector<NamedNetwork> every_topology(const std::vector<Rank>& shape, std::vector<NamedNetwork> others = {}) {
  for (const Topology& row : topologies()) others.emplace_back(row.name, shape);
  return others;
}

}  // namespace onceover::support
