// MaxFlow: maximum flows on one graph, for many capacities, sources and sinks. Boost.Graph finds them, in max_flow.cpp
// only.
#pragma once

#include <memory>
#include <vector>

#include "network/port_graph.h"

namespace onceover::network {

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
