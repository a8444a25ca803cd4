// An order is found by taking events as they become ready, first come, first served. If some never do, there is a
// cycle.
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

#include "base/stop.h"

namespace onceover::programs {

namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::uint32_t, std::uint32_t>;

/// How many edges the search for a shortest cycle looks at.
constexpr std::uint64_t search_budget = 30'000'000;

/// The strongly connected component of each event, and their number.
std::uint32_t find_components(Event events, const std::vector<Edge>& edges, std::vector<std::uint32_t>& component) {
  std::vector<std::pair<Event, Event>> pairs;
  pairs.reserve(edges.size());
  for (const Edge& e : edges) pairs.emplace_back(e.before, e.after);
  const Graph graph(boost::edges_are_unsorted_multi_pass, pairs.begin(), pairs.end(), events);
  component.resize(events);
  return boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
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

Successors::Successors(Event events, const std::vector<Edge>& edges, bool with_some_runs)
    : edges_(edges), begin_(std::size_t{events} + 1, 0) {
  const auto counts = [&](const Edge& e) { return with_some_runs || e.why != Why::some_run; };
  for (const Edge& e : edges)
    if (counts(e)) ++begin_[e.before + 1];
  for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
  out_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t k = 0; k < edges.size(); ++k)
    if (counts(edges[k])) out_[next[edges[k].before]++] = k;
}

std::optional<std::vector<Event>> order_of(Event events, const std::vector<Edge>& edges, bool with_some_runs) {
  stop_point();
  const Successors successors(events, edges, with_some_runs);
  std::vector<std::uint32_t> waits(events, 0);
  for (const Edge& e : edges)
    if (with_some_runs || e.why != Why::some_run) ++waits[e.after];
  std::vector<Event> order;
  order.reserve(events);
  for (Event e = 0; e < events; ++e)
    if (waits[e] == 0) order.push_back(e);
  for (std::size_t k = 0; k < order.size(); ++k)
    successors.of(order[k], [&](const Edge& e) {
      if (--waits[e.after] == 0) order.push_back(e.after);
    });
  if (order.size() < events) return std::nullopt;
  return order;
}

std::vector<Edge> shortest_cycle(Event events, const std::vector<Edge>& all) {
  std::vector<Edge> edges;
  std::copy_if(all.begin(), all.end(), std::back_inserter(edges), [](const Edge& e) { return e.why != Why::some_run; });
  for (const Edge& e : edges)
    if (e.before == e.after) return {e};
  std::vector<std::uint32_t> component;
  std::vector<std::uint32_t> sizes(find_components(events, edges, component));
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
