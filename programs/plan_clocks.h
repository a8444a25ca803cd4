// PlanClocks: how far each chain of an MSCCL++ plan's graph certainly is at an event.
#pragma once

#include "programs/plan_graph.h"

namespace onceover::programs {

/// Built once, then asked. Time: O(edges * chains). Memory: 8 bytes for each event and chain.
class PlanClocks {
 public:
  /// `order` is an order of the graph's edges.
  PlanClocks(const PlanGraph& graph, const std::vector<PlanEvent>& order);

  /// Has `before` ended in every run when `after` begins?
  bool is_ordered(const PlanTask& before, const PlanTask& after) const { return knows(all_, before, after); }

  /// The same, and what it has written can be seen there.
  bool is_published(const PlanTask& before, const PlanTask& after) const { return knows(publishing_, before, after); }

  /// How many meetings, and so on, of the chain are certainly over at an event.
  std::uint32_t known(PlanEvent event, std::uint32_t chain) const { return all_[event * chains_ + chain]; }

  static constexpr std::uint64_t most_entries = std::uint64_t{1} << 25;

 private:
  using Clocks = std::vector<std::uint32_t>;
  Clocks clocks(const PlanGraph& graph, const std::vector<PlanEvent>& order, bool with_relaxed) const;
  bool knows(const Clocks& clocks, const PlanTask& before, const PlanTask& after) const {
    return clocks[after.begin * chains_ + before.done.chain] >= before.done.value;
  }

  std::size_t chains_;
  Clocks all_;
  Clocks publishing_;
};

}  // namespace onceover::programs
