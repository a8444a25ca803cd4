#include "network/max_flow.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace onceover::network {

struct MaxFlow::Graph {
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Properties = boost::property<boost::edge_capacity_t, Whole,
                                     boost::property<boost::edge_residual_capacity_t, Whole,
                                                     boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>;
  using Boost = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Properties>;

  Boost boost;
  std::vector<Traits::edge_descriptor> edges;  // by arc
};

MaxFlow::MaxFlow(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs) : graph_(std::make_unique<Graph>()) {
  auto& graph = graph_->boost;
  graph = Graph::Boost(static_cast<std::size_t>(vertices));
  const auto reverse = get(boost::edge_reverse, graph);
  for (const PortGraph::Arc& arc : arcs) {
    const auto from = static_cast<std::size_t>(arc.from), to = static_cast<std::size_t>(arc.to);
    const auto there = add_edge(from, to, graph).first;
    const auto back = add_edge(to, from, graph).first;
    put(reverse, there, back);
    put(reverse, back, there);
    graph_->edges.push_back(there);
    set_capacity(graph_->edges.size() - 1, arc.capacity);
  }
}

MaxFlow::~MaxFlow() = default;

void MaxFlow::set_capacity(std::size_t arc, Whole capacity) {
  put(boost::edge_capacity, graph_->boost, graph_->edges[arc], capacity);
}

Whole MaxFlow::run(std::int32_t source, std::int32_t sink) {
  return push_relabel_max_flow(graph_->boost, static_cast<std::size_t>(source), static_cast<std::size_t>(sink));
}

std::vector<bool> MaxFlow::reached(std::int32_t source) const {
  const auto& graph = graph_->boost;
  std::vector<bool> seen(num_vertices(graph));
  std::vector<std::size_t> stack{static_cast<std::size_t>(source)};
  seen[stack.back()] = true;
  while (!stack.empty()) {
    const std::size_t from = stack.back();
    stack.pop_back();
    const auto [begin, end] = out_edges(from, graph);
    for (auto edge = begin; edge != end; ++edge) {
      const std::size_t to = target(*edge, graph);
      if (seen[to] || get(boost::edge_residual_capacity, graph, *edge) == 0) continue;
      seen[to] = true;
      stack.push_back(to);
    }
  }
  return seen;
}

}  // namespace onceover::network
