// EventGraph: what must happen before what in every run of a program, whatever its format; with the clocks of its
// events, and the accesses to memory that it must order.
//
// MSCCL XML and GOAL (happens_before.h) and plans of MSCCL++ (plan_graph.h) lower into it. Its chains are what goes on
// one by one: the operations of a thread, the meetings of a block. "Chain 2 has come to 5" is then all that needs to be
// known of an operation that ends there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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

/// An event at which a chain advances to the mark.
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

/// The edges from each event, in one array.
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

/// A clock of each event, of which those are kept that may be asked for. An event that knows no more than the one
/// before it shares its clock; others are thrown away after their last use.
class ClockTable {
 public:
  /// `order` is an order of the graph's edges; `kept` are the events that may be asked for.
  ClockTable(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
             const std::vector<Event>& kept);

  /// The clock of a kept event.
  const std::uint32_t* at(Event event) const { return &rows_[std::size_t{row_of_[event]} * chains_]; }

  /// The rows that the table has at most at a time, without making it. O(edges).
  static std::size_t rows_needed(const EventGraph& graph, const std::vector<Event>& order, bool with_relaxed,
                                 const std::vector<Event>& kept);

 private:
  std::size_t chains_;
  std::vector<std::uint32_t> row_of_;  // by event
  std::vector<std::uint32_t> rows_;
};

/// How far each chain of a graph certainly is at an event. Time: O(edges * chains). Memory: 4 bytes for each row and
/// chain, and twice that if there are relaxed edges.
class EventClocks {
 public:
  EventClocks(const EventGraph& graph, const std::vector<Event>& order, const std::vector<Event>& kept);

  /// How far the chain certainly is at a kept event.
  std::uint32_t known(Event event, std::uint32_t chain) const { return all_.at(event)[chain]; }

  /// The same, and what was written before can be seen at the event.
  std::uint32_t seen(Event event, std::uint32_t chain) const {
    return (publishing_ ? *publishing_ : all_).at(event)[chain];
  }

  /// Is the first certainly over when the second begins? Both use memory: from an event `begin` on, which is kept,
  /// until a chain has come to the mark `done`.
  template <class First, class Second>
  bool is_ordered(const First& first, const Second& second) const {
    return known(second.begin, first.done.chain) >= first.done.value;
  }

  /// The same, and can the second see what the first has written?
  template <class First, class Second>
  bool is_published(const First& first, const Second& second) const {
    return seen(second.begin, first.done.chain) >= first.done.value;
  }

  /// Would the clocks take more than 512 MiB, or minutes? O(edges).
  static bool are_too_large(const EventGraph& graph, const std::vector<Event>& order, const std::vector<Event>& kept);

 private:
  ClockTable all_;
  std::optional<ClockTable> publishing_;  // if there are relaxed edges
};

/// The accesses to memory that an order between them must cover: the last write of each cell and the reads since then.
/// In one order of all accesses, a read must come after the last write of its cell, and a write after that and the
/// reads since then. Order is transitive, so that covers all pairs of which one is a write.
///
/// `Use` is what users know an access by. Memory: O(cells +
/// reads).
template <class Use>
class CellHistory {
 public:
  explicit CellHistory(std::size_t cells) : last_(cells) {}

  /// Calls with_write(last write), if there is one.
  template <class WithWrite>
  void read(std::size_t cell, const Use& use, WithWrite&& with_write) {
    Last& last = last_[cell];
    if (last.write != none) with_write(uses_[last.write].first);
    uses_.emplace_back(use, std::exchange(last.reads, size()));
  }

  /// Calls with_read(read) for the reads since the last write, the latest first, then with_write(last write).
  template <class WithRead, class WithWrite>
  void write(std::size_t cell, const Use& use, WithRead&& with_read, WithWrite&& with_write) {
    Last& last = last_[cell];
    for (std::uint32_t k = last.reads; k != none; k = uses_[k].second) with_read(uses_[k].first);
    if (last.write != none) with_write(uses_[last.write].first);
    last = {size(), none};
    uses_.emplace_back(use, none);
  }

  /// The last write of a cell; null if there is none.
  const Use* last_write(std::size_t cell) const {
    return last_[cell].write == none ? nullptr : &uses_[last_[cell].write].first;
  }

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Last {
    std::uint32_t write = none;
    std::uint32_t reads = none;
  };

  std::uint32_t size() const { return static_cast<std::uint32_t>(uses_.size()); }

  std::vector<Last> last_;
  std::vector<std::pair<Use, std::uint32_t>> uses_;  // with the read before it
};

/// The lines of a certificate. Events happen in lines. Edges between events become edges between lines, by which these
/// are sorted; among those that may come next, the first added does. O((lines + edges) * log lines).
class CertificateLines {
 public:
  explicit CertificateLines(Event events) : lines_of_event_(events) {}

  /// Adds a line without its end, and returns its number.
  std::size_t add(std::string words);

  /// The event happens in the line, and in others where it was put before.
  void put(Event event, std::size_t line) { lines_of_event_[event].push_back(line); }
  bool has(Event event) const { return !lines_of_event_[event].empty(); }

  void order(std::size_t before, std::size_t after) { edges_.emplace_back(before, after); }

  /// All lines; nothing if some wait for each other.
  std::optional<std::string> sorted(const std::vector<Edge>& edges) const;

 private:
  std::vector<std::string> lines_;
  std::vector<std::vector<std::size_t>> lines_of_event_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace onceover::programs
