// PortGraph: a network whose ranks sit behind their ports, with whole numbers as capacities; its cuts and maximum
// flows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "base/rational.h"
#include "network/network.h"

namespace onceover::network {

/// An amount of flow, or a capacity.
using Whole = std::int64_t;

/// Rank r is vertex r, and node v of the network is vertex ranks + v. A rank's ports join it to its seat both ways, so
/// that what only passes the seat doesn't use the ports. Link l is arc l; then each rank has two arcs, to its seat and
/// from it. Memory: 24 bytes an arc.
struct PortGraph {
  struct Arc {
    std::int32_t from;
    std::int32_t to;
    Whole capacity;        // above 0; even if some arc is half duplex
    bool is_half = false;  // half duplex: this and the arc back, which has the same capacity, have it together

    /// What it has if the way back takes as much.
    Whole own() const { return is_half ? capacity / 2 : capacity; }
  };

  Rank ranks;
  std::int32_t vertices;
  Link links;
  Whole port;  // the capacity of one port
  std::vector<Arc> arcs;
  std::vector<Rank> orbits;  // by rank: the first rank that a symmetry takes to it, see network/orbits.h

  /// The same with every arc turned round: a reduce-scatter on it is an allgather here.
  PortGraph reversed() const;

  bool is_half_duplex() const {
    return std::any_of(arcs.begin(), arcs.end(), [](const Arc& arc) { return arc.is_half; });
  }

  /// The same with half of each half-duplex link for either direction. The graph carries whatever this carries.
  PortGraph split() const;

  /// The same with the capacity of both directions together for each of them.
  PortGraph joined() const;

  /// Does every node of the network have as much capacity in as out?
  bool is_balanced() const;
};

/// A set of vertices with a rank inside and a rank outside, and the capacity of the arcs that leave it.
struct Cut {
  std::vector<bool> inside;
  Rank ranks_inside;
  Whole leaving;
};

/// Adds up a cut. O(arcs).
Cut cut_of(const PortGraph& graph, std::vector<bool> inside);

/// The arcs that leave the cut.
std::vector<std::size_t> leaving(const PortGraph& graph, const Cut& cut);

/// The bandwidth for which this number above 0 stands: the simplest fraction that is rounded to it. 0.1 is 1/10,
/// although the double is not; 400.0 / 3 is 400/3.
Rational meant_by(double number);

/// Capacities of links and ports.
struct Capacities {
  std::map<double, Whole> of;  // by bandwidth: whole numbers in the same ratios
  Whole port;                  // of one port
  Whole ports;                 // of all ports of a rank
};

/// An error if the bandwidths have no common unit in which the sum of the capacities of a network's graph times the
/// ranks fits into 62 bits. The flows of network/bounds.h then can't overflow. O(links).
tl::expected<Capacities, std::string> capacities(const Network& network);

/// The graph of a network; an error as of `capacities`. O(links).
tl::expected<PortGraph, std::string> port_graph(const Network& network);

class MaxFlow {
 public:
  /// Memory: some 100 bytes an arc.
  MaxFlow(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs);
  ~MaxFlow();

  void set_capacity(std::size_t arc, Whole capacity);

  /// The largest flow from one vertex to another, by push-relabel. The capacities must add up to less than 2^63.
  Whole run(std::int32_t source, std::int32_t sink);

  /// Which vertices the last run's residual graph reaches from the source: the smallest source side of a least cut.
  std::vector<bool> reached(std::int32_t source) const;

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
};

}  // namespace onceover::network
