// PlanClocks: how far each chain of an MSCCL++ plan's graph certainly is at an event.
#pragma once

#include "programs/plan_graph.h"

namespace onceover::programs {

/// What is asked for: the events at which tasks begin, or also the meetings of blocks.
enum class KeptClocks : std::uint8_t { of_tasks, of_meetings };

/// A clock of each event, of which those are kept that may be asked for. An event that knows no more than the one
/// before it shares its clock; others are thrown away after their last use.
class ClockTable {
 public:
  /// `order` is an order of the graph's edges.
  ClockTable(const PlanGraph& graph, const std::vector<PlanEvent>& order, bool with_relaxed, KeptClocks kept);

  /// The clock of a kept event.
  const std::uint32_t* at(PlanEvent event) const { return &rows_[std::size_t{row_of_[event]} * chains_]; }

  /// The rows that the table has at most at a time, without making it. O(edges).
  static std::size_t rows_needed(const PlanGraph& graph, const std::vector<PlanEvent>& order, bool with_relaxed,
                                 KeptClocks kept);

 private:
  std::size_t chains_;
  std::vector<std::uint32_t> row_of_;  // by event
  std::vector<std::uint32_t> rows_;
};

/// Built once, then asked. Time: O(edges * chains). Memory: 4 bytes for each row and chain, and twice that if there are
/// relaxed edges.
class PlanClocks {
 public:
  /// `order` is an order of the graph's edges.
  PlanClocks(const PlanGraph& graph, const std::vector<PlanEvent>& order, KeptClocks kept = KeptClocks::of_tasks);

  /// Has `before` ended in every run when `after` begins?
  bool is_ordered(const PlanTask& before, const PlanTask& after) const {
    return all_.at(after.begin)[before.done.chain] >= before.done.value;
  }

  /// The same, and what it has written can be seen there.
  bool is_published(const PlanTask& before, const PlanTask& after) const {
    return seen(after.begin, before.done.chain) >= before.done.value;
  }

  /// How many meetings, and so on, of the chain are certainly over at a kept event.
  std::uint32_t known(PlanEvent event, std::uint32_t chain) const { return all_.at(event)[chain]; }

  /// The same, and what was written before can be seen at the event.
  std::uint32_t seen(PlanEvent event, std::uint32_t chain) const {
    return (publishing_ ? *publishing_ : all_).at(event)[chain];
  }

  /// Would the clocks take more than 512 MiB, or minutes? O(edges).
  static bool are_too_large(const PlanGraph& graph, const std::vector<PlanEvent>& order);

 private:
  ClockTable all_;
  std::optional<ClockTable> publishing_;  // if there are relaxed edges
};

}  // namespace onceover::programs
