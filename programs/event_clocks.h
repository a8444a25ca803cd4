// EventClocks: how far each chain of a graph certainly is at an event.
#pragma once

#include "programs/event_graph.h"

namespace onceover::programs {

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

/// Built once, then asked. Time: O(edges * chains). Memory: 4 bytes for each row and chain, and twice that if there are
/// relaxed edges.
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

}  // namespace onceover::programs
