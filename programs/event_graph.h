// EventGraph: what must happen before what in every run of a program, whatever its format.
//
// MSCCL XML and GOAL (happens_before.h) and plans of MSCCL++ (plan_graph.h) lower into it. Its chains are what goes on
// one by one: the operations of a thread, the meetings of a block. "Chain 2 has come to 5" is then all that needs to be
// known of an operation that ends there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace onceover::programs {

/// The number of an event of a graph, from 0.
using Event = std::uint32_t;

/// Why an event waits for another.
enum class Why : std::uint8_t {
  rule,        // of the format
  itself,      // an operation begins, then reaches its middle, then ends
  thread,      // for the operation before it in its thread
  dependency,  // for an operation that it depends on
  message,     // for the message that it receives
  room,        // for an earlier message to be taken, so that there is room for its own
  partner,     // for the receiver to be ready, under rendezvous
  relaxed,     // for a signal or packet that doesn't publish what was written before
  some_run,    // in some runs, not in all
};

struct Edge {
  Event before;
  Event after;
  Why why = Why::rule;
};

/// "The chain is at least this far."
struct ChainMark {
  std::uint32_t chain;
  std::uint32_t value;
};

/// An event at which a chain gets on.
struct ChainStep {
  Event event;
  ChainMark mark;
};

struct EventGraph {
  Event events = 0;  // how many
  std::vector<Edge> edges = {};
  std::vector<ChainStep> steps = {};
  std::uint32_t chains = 0;
};

/// The ways from each event, in one array.
class Successors {
 public:
  /// O(events + edges). The edges must outlive it.
  Successors(Event events, const std::vector<Edge>& edges);

  /// Calls visit(edge) for each edge from the event, in the order of the edges.
  template <class Visit>
  void of(Event event, Visit&& visit) const {
    for (std::size_t k = begin_[event]; k < begin_[event + 1]; ++k) visit(edges_[out_[k]]);
  }

 private:
  const std::vector<Edge>& edges_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint32_t> out_;
};

/// All events, each after those that it waits for; nothing if there is a cycle. Without `with_some_runs`, edges that
/// hold only in some runs don't count. O(events + edges).
std::optional<std::vector<Event>> order_of(Event events, const std::vector<Edge>& edges, bool with_some_runs = true);

/// A cycle with the fewest edges, or a short one if there are too many to look at; there must be a cycle. Edges that
/// hold only in some runs don't count.
std::vector<Edge> shortest_cycle(Event events, const std::vector<Edge>& edges);

}  // namespace onceover::programs
