// Builds a graph of the events and orders it, or finds what prevents an order: a shortest cycle.
//
// Example: two ranks send to each other, then receive. Under rendezvous each send ends only when the other rank's
// receive has begun, and that begins only when the other rank's send has ended: a cycle of four events.
//
// A cycle lies in one strongly connected component. A breadth-first search from each event there finds the shortest
// cycle through it, and stops when that can't be shorter than the best so far. The first search finds a cycle, because
// every event of such a component lies on one. All searches together would take O(events * edges). So after about 30
// million edges the best cycle so far is taken, which may not be the shortest.

#include "programs/event_graph.h"

#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <numeric>

#include "base/stop.h"

namespace onceover::programs {

namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

/// How many edges the search for a shortest cycle looks at.
constexpr std::uint64_t search_budget = 30'000'000;

Graph graph_of(Event events, const std::vector<Edge>& edges, bool with_some_runs) {
  std::vector<std::pair<Event, Event>> pairs;
  pairs.reserve(edges.size());
  for (const Edge& e : edges)
    if (with_some_runs || e.why != Why::some_run) pairs.emplace_back(e.before, e.after);
  return {boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), events};
}

/// Searches breadth-first from an event, within its component, for the shortest path back to it.
class CycleSearch {
 public:
  CycleSearch(Event events, const std::vector<Edge>& edges, const std::vector<std::uint32_t>& component)
      : component_(component), successors_(events, edges), by_(events) {}

  /// A shortest cycle through `start`, if it has fewer than `bound` edges.
  std::vector<Edge> through(Event start, std::size_t bound) {
    std::fill(by_.begin(), by_.end(), nullptr);
    std::vector<Event> layer{start};
    for (std::size_t length = 1; !layer.empty() && length < bound && by_[start] == nullptr; ++length) {
      std::vector<Event> next;
      for (const Event event : layer)
        successors_.of(event, [&](const Edge& e) {
          ++work;
          if (component_[e.after] != component_[start] || by_[e.after] != nullptr || by_[start] != nullptr) return;
          by_[e.after] = &e;
          next.push_back(e.after);
        });
      layer = std::move(next);
    }
    return by_[start] == nullptr ? std::vector<Edge>{} : back_to(start);
  }

  std::uint64_t work = 0;

 private:
  std::vector<Edge> back_to(Event start) const {
    std::vector<Edge> cycle;
    Event event = start;
    do {
      cycle.push_back(*by_[event]);
      event = cycle.back().before;
    } while (event != start);
    std::reverse(cycle.begin(), cycle.end());
    return cycle;
  }

  const std::vector<std::uint32_t>& component_;
  Successors successors_;
  std::vector<const Edge*> by_;  // by event: the edge that found it
};

}  // namespace

Successors::Successors(Event events, const std::vector<Edge>& edges)
    : edges_(edges), begin_(std::size_t{events} + 1, 0), out_(edges.size()) {
  for (const Edge& e : edges) ++begin_[e.before + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t k = 0; k < edges.size(); ++k) out_[next[edges[k].before]++] = k;
}

std::optional<std::vector<Event>> order_of(Event events, const std::vector<Edge>& edges, bool with_some_runs) {
  stop_point();
  std::vector<Event> order;
  order.reserve(events);
  try {
    const Graph graph = graph_of(events, edges, with_some_runs);
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    return std::nullopt;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<Edge> shortest_cycle(Event events, const std::vector<Edge>& all) {
  std::vector<Edge> edges;
  std::copy_if(all.begin(), all.end(), std::back_inserter(edges), [](const Edge& e) { return e.why != Why::some_run; });
  for (const Edge& e : edges)
    if (e.before == e.after) return {e};
  const Graph graph = graph_of(events, edges, true);
  std::vector<std::uint32_t> component(events);
  std::vector<std::uint32_t> sizes(boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph))));
  for (const std::uint32_t c : component) ++sizes[c];
  CycleSearch search(events, edges, component);
  std::vector<Edge> best;
  for (Event event = 0; event < events; ++event) {
    if (sizes[component[event]] < 2) continue;
    if (!best.empty() && search.work + 2 * std::uint64_t{events} > search_budget) break;
    search.work += events / 8;
    auto found = search.through(event, best.empty() ? SIZE_MAX : best.size());
    if (!found.empty()) best = std::move(found);
  }
  return best;
}

}  // namespace onceover::programs
