// PlanRunOrder: the operations of an MSCCL++ plan in an order that can be drawn, and which of them wait for others.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "programs/plan_graph.h"

namespace onceover::viz {

/// An operation, by GPU, block and place in its list.
using PlanPlace = std::tuple<Rank, std::int32_t, std::int32_t>;

const PlanOperation& plan_operation(const ExecutionPlan& plan, const PlanPlace& place);

/// An order between operations of different blocks.
struct PlanOrder {
  PlanPlace before;
  PlanPlace after;
};

/// What is wrong: where, and the reason in the verifier's words.
struct FoundFault {
  std::vector<Counterexample::Site> sites = {};
  std::vector<std::string> lines = {};

  /// How many iterations of its pipelines a plan needs, so that all of the sites are among them. 0: there is no loop.
  std::uint32_t iterations() const;

  /// Its operations among those of the plan, whose pipelines are unrolled.
  std::vector<PlanPlace> places(const ExecutionPlan& unrolled) const;
};

/// What the verifier says first; empty if it finds nothing.
FoundFault fault_of(const ExecutionPlan& plan);

/// One call of a plan whose barriers fit their blocks.
class PlanRunOrder {
 public:
  /// Chunks have so many units. O(graph of a call).
  PlanRunOrder(const ExecutionPlan& plan, std::uint32_t units);

  /// All operations, each after those that it waits for. If they wait in a circle: block beside block.
  const std::vector<PlanPlace>& places() const { return places_; }

  /// Signals and waits, semaphores, packets and their readers; without barriers and what a block's order implies.
  const std::vector<PlanOrder>& orders() const { return orders_; }

  /// The operation, and those that meet it at a barrier.
  std::vector<PlanPlace> with_meeting(const PlanPlace& place) const;

 private:
  void note_orders(const PlanGraph& graph);

  std::map<PlanPlace, std::vector<PlanPlace>> meetings_;
  std::vector<PlanPlace> places_;
  std::vector<PlanOrder> orders_;
};

}  // namespace onceover::viz
