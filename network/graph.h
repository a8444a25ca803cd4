// LinkGraph: a network's links as a Boost graph.
#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <functional>
#include <memory>
#include <vector>

#include "network/network.h"

namespace onceover::network {

/// A graph whose vertices are nodes and whose edges carry the number of a link.
struct LinkGraph {
  using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Link, boost::no_property,
                                                   std::uint32_t, std::uint32_t>;
  Graph graph;
};

/// A graph of the links, which keep their numbers; with `is_in`, only of those for which it holds. Turned round if
/// `is_backward`. O(links).
std::shared_ptr<const LinkGraph> graph_of(Node nodes, const std::vector<LinkData>& links,
                                          const std::function<bool(Link)>& is_in = nullptr, bool is_backward = false);

}  // namespace onceover::network
