// Distances under lengths 0 and 1 of links, and minimum spanning trees under them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "network/port_graph.h"

namespace onceover::network {

/// Links by the vertex that they leave.
class Outgoing {
 public:
  Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs);

  using HasLength = std::function<bool(std::size_t arc)>;

  /// The distance of each vertex from `source`, where an arc's length is 0 or 1; -1 if there is no way. O(arcs).
  std::vector<std::int32_t> distances(std::int32_t source, const HasLength& has_length) const;

  /// The distance of each vertex from the nearest of `sources`, and which of them that is.
  struct Nearest {
    std::vector<std::int32_t> distance;
    std::vector<std::int32_t> source;
  };
  Nearest nearest(const std::vector<std::int32_t>& sources, const HasLength& has_length) const;

 private:
  struct Way {
    std::int32_t to;
    std::size_t arc;
  };
  std::vector<std::size_t> first_;  // by vertex, of its ways
  std::vector<Way> ways_;
};

/// Is there, for each arc, one between the same vertices the other way that has a length if this has? O(arcs log arcs).
bool are_lengths_two_way(const PortGraph& graph, const std::vector<bool>& has_length);

/// As `spanning_tree`, if lengths are the same both ways. O(arcs log arcs). Source: Mehlhorn, A faster approximation
/// algorithm for the Steiner problem in graphs, IPL 27, 1988.
Whole two_way_tree(const PortGraph& graph, const std::vector<bool>& has_length);

/// The length of a minimum spanning tree of the ranks. Two ranks are as far from each other as in the nearer direction;
/// they must reach each other. O(ranks * arcs). Throws `Stopped` if all work is to stop.
Whole spanning_tree(const PortGraph& graph, const std::vector<bool>& has_length);

}  // namespace onceover::network
