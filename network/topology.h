// The networks that we can build: one row for each topology.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "network/network.h"

namespace onceover::network {

/// The speed of a network's links unless something else is said. The presets are the Swing paper's (section 5).
struct LinkSpeeds {
  double bandwidth = 400;  // Gb/s
  double latency = 100;    // ns, on the wire
  double hop = 300;        // ns, to process a packet at the end of each link

  LinkData link(Node from, Node to) const { return {from, to, bandwidth, latency + hop}; }
};

/// Of a network; beyond them it is refused.
inline constexpr std::int64_t most_links = std::int64_t{1} << 23;

/// A topology as the user names it: "torus", "fat-tree:radix=16,taper=2".
struct TopologyRequest {
  std::string name;
  std::map<std::string, std::string, std::less<>> settings = {};
  std::vector<Rank> shape;  // sides of the schedule's torus, or its number of ranks
  LinkSpeeds speeds = {};
};

struct TopologySetting {
  std::string_view name;
  std::string_view meaning;
};

/// A row of the table.
struct Topology {
  std::string_view name;
  std::string_view summary;
  std::span<const TopologySetting> settings;

  /// The network, or why there is none. Called only with settings of this row.
  tl::expected<Network, std::string> (*make)(const TopologyRequest& request);
};

/// All rows, those similar to the torus first.
std::span<const Topology> topologies();

/// Parses "name:key=value,..". An error says what was expected.
tl::expected<TopologyRequest, std::string> parse_topology(std::string_view text);

/// The network of the request, or why there is none.
tl::expected<Network, std::string> make_topology(const TopologyRequest& request);

}  // namespace onceover::network
