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

  /// The distance of each vertex from `source`, where an arc's length is 0 or 1; -1 if there is no way. O(arcs).
  std::vector<std::int32_t> distances(std::int32_t source,
                                      const std::function<bool(std::size_t arc)>& has_length) const;

 private:
  struct Way {
    std::int32_t to;
    std::size_t arc;
  };
  std::vector<std::size_t> first_;  // by vertex, of its ways
  std::vector<Way> ways_;
};

/// The length of a minimum spanning tree of the ranks. Two ranks are as far from each other as in the nearer direction;
/// they must reach each other. O(ranks * arcs). Throws `Stopped` if all work is to stop.
Whole spanning_tree(const PortGraph& graph, const std::vector<bool>& has_length);

}  // namespace onceover::network
