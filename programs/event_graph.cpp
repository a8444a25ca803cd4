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
#include <functional>
#include <iterator>
#include <numeric>
#include <queue>
#include <span>

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

// Events are visited in order. Each has a row of the table: that of its only predecessor, if nothing happens at it, or
// a row of its own. A row is free again when all events that have it were used by their successors, unless one is kept.

namespace {

constexpr std::uint64_t most_clock_entries = std::uint64_t{1} << 27;
constexpr std::uint64_t most_clock_work = std::uint64_t{1} << 33;  // edges * chains
constexpr std::uint32_t no_row = UINT32_MAX;

bool has_relaxed(const EventGraph& graph) {
  return std::any_of(graph.edges.begin(), graph.edges.end(), [](const Edge& e) { return e.why == Why::relaxed; });
}

/// Says which row each event gets, in order, and which rows it is made of.
class RowPlanner {
 public:
  RowPlanner(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
             const std::vector<Event>& kept)
      : order_(order), begin_(std::size_t{graph.events} + 1, 0), step_begin_(std::size_t{graph.events} + 1, 0) {
    const auto counts = [&](const Edge& e) {
      return e.why != Why::some_run && (with_relaxed || e.why != Why::relaxed);
    };
    uses_.assign(graph.events, 0);
    for (const Edge& e : graph.edges)
      if (counts(e)) ++begin_[e.after + 1], ++uses_[e.before];
    for (std::size_t k = 1; k < begin_.size(); ++k) begin_[k] += begin_[k - 1];
    before_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (const Edge& e : graph.edges)
      if (counts(e)) before_[next[e.after]++] = e.before;
    sort_steps(graph);
    for (const Event event : kept) ++uses_[event];
  }

  /// Calls make(event, row, predecessors, is_shared) for each event in order. Returns how many rows there are.
  template <class Make>
  std::size_t run(std::vector<std::uint32_t>& row_of, Make&& make) {
    row_of.assign(begin_.size() - 1, no_row);
    std::vector<std::uint32_t> owners;  // of each row: the events that have it and are still used
    std::vector<std::uint32_t> free;
    const auto release = [&](Event e) {
      if (--uses_[e] == 0 && --owners[row_of[e]] == 0) free.push_back(row_of[e]);
    };
    for (const Event e : order_) {
      const std::span<const Event> before(before_.data() + begin_[e], begin_[e + 1] - begin_[e]);
      const bool shares = before.size() == 1 && step_begin_[e] == step_begin_[e + 1];
      if (shares) {
        row_of[e] = row_of[before[0]];
      } else if (free.empty()) {
        row_of[e] = static_cast<std::uint32_t>(owners.size());
        owners.push_back(0);
      } else {
        row_of[e] = free.back();
        free.pop_back();
      }
      ++owners[row_of[e]];
      ++uses_[e];  // by itself, until it is made
      make(e, before, shares);
      for (const Event b : before) release(b);
      release(e);
    }
    return owners.size();
  }

  std::span<const ChainMark> steps(Event e) const {
    return {marks_.data() + step_begin_[e], step_begin_[e + 1] - step_begin_[e]};
  }

 private:
  void sort_steps(const EventGraph& graph) {
    for (const ChainStep& step : graph.steps) ++step_begin_[step.event + 1];
    for (std::size_t k = 1; k < step_begin_.size(); ++k) step_begin_[k] += step_begin_[k - 1];
    marks_.resize(graph.steps.size());
    std::vector<std::size_t> next(step_begin_.begin(), step_begin_.end() - 1);
    for (const ChainStep& step : graph.steps) marks_[next[step.event]++] = step.mark;
  }

  const std::vector<Event>& order_;
  std::vector<std::size_t> begin_;  // by event, into before_
  std::vector<Event> before_;
  std::vector<std::size_t> step_begin_;  // by event, into marks_
  std::vector<ChainMark> marks_;
  std::vector<std::uint32_t> uses_;  // by event: its successors to come, and what may be asked
};

}  // namespace

ClockTable::ClockTable(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
                       const std::vector<Event>& kept)
    : chains_(graph.chains) {
  rows_.resize(rows_needed(graph, order, with_relaxed, kept) * chains_);
  RowPlanner planner(graph, order, with_relaxed, kept);
  planner.run(row_of_, [&](Event e, std::span<const Event> before, bool shares) {
    if (shares) return;
    // The row may have been another event's, but none of those before: they are still used.
    std::uint32_t* const clock = &rows_[std::size_t{row_of_[e]} * chains_];
    if (before.empty()) std::fill_n(clock, chains_, 0);
    for (std::size_t k = 0; k < before.size(); ++k) {
      const std::uint32_t* const theirs = at(before[k]);
      const auto has_same = [&](Event b) { return row_of_[b] == row_of_[before[k]]; };
      if (k == 0)
        std::copy_n(theirs, chains_, clock);
      else if (std::none_of(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(k), has_same))
        for (std::size_t c = 0; c < chains_; ++c) clock[c] = std::max(clock[c], theirs[c]);
    }
    for (const ChainMark& mark : planner.steps(e)) clock[mark.chain] = std::max(clock[mark.chain], mark.value);
  });
}

std::size_t ClockTable::rows_needed(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
                                    const std::vector<Event>& kept) {
  std::vector<std::uint32_t> rows;
  return RowPlanner(graph, order, with_relaxed, kept).run(rows, [](Event, std::span<const Event>, bool) {});
}

EventClocks::EventClocks(const EventGraph& graph, const std::vector<Event>& order, const std::vector<Event>& kept)
    : all_(graph, order, true, kept) {
  if (has_relaxed(graph)) publishing_.emplace(graph, order, false, kept);
}

bool EventClocks::are_too_large(const EventGraph& graph, const std::vector<Event>& order,
                                const std::vector<Event>& kept) {
  std::size_t rows = ClockTable::rows_needed(graph, order, true, kept);
  if (has_relaxed(graph)) rows += ClockTable::rows_needed(graph, order, false, kept);
  return std::uint64_t{rows} * graph.chains > most_clock_entries ||
         std::uint64_t{graph.edges.size()} * graph.chains > most_clock_work;
}

std::size_t CertificateLines::add(std::string words) {
  lines_.push_back(std::move(words));
  return lines_.size() - 1;
}

std::optional<std::string> CertificateLines::sorted(const std::vector<Edge>& edges) const {
  std::vector<std::vector<std::size_t>> after(lines_.size());
  std::vector<std::size_t> waits(lines_.size(), 0);
  const auto wait = [&](std::size_t before, std::size_t then) {
    if (before == then) return;
    after[before].push_back(then);
    ++waits[then];
  };
  for (const auto& [before, then] : edges_) wait(before, then);
  for (const Edge& e : edges)
    for (const std::size_t before : lines_of_event_[e.before])
      for (const std::size_t then : lines_of_event_[e.after]) wait(before, then);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t k = 0; k < lines_.size(); ++k)
    if (waits[k] == 0) ready.push(k);
  std::string text;
  std::size_t done = 0;
  for (; !ready.empty(); ++done) {
    const std::size_t k = ready.top();
    ready.pop();
    text += lines_[k] + '\n';
    for (const std::size_t then : after[k])
      if (--waits[then] == 0) ready.push(then);
  }
  return done == lines_.size() ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace onceover::programs
