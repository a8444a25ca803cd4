#include "viz/plan_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "programs/plan_pipelines.h"
#include "programs/plan_waits.h"
#include "programs/verify_plan.h"

namespace onceover::viz {

namespace {

PlanPlace place_of(const PlanSite& site) {
  return {site.rank, site.block, site.operation};
}

/// The barriers at which blocks meet: by operation, all that are one meeting.
std::map<PlanPlace, std::vector<PlanPlace>> meetings_of(const ExecutionPlan& plan) {
  std::map<std::tuple<Rank, std::int32_t, std::int32_t>, std::vector<PlanPlace>> by_count;
  for (std::size_t r = 0; r < plan.gpus.size(); ++r)
    for (std::size_t b = 0; b < plan.gpus[r].blocks.size(); ++b) {
      std::map<std::int32_t, std::int32_t> counts;
      const auto& operations = plan.gpus[r].blocks[b].operations;
      for (std::size_t k = 0; k < operations.size(); ++k)
        if (operations[k].instruction == PlanInstruction::barrier && operations[k].barrier_blocks > 1)
          by_count[{static_cast<Rank>(r), operations[k].barrier, counts[operations[k].barrier]++}].emplace_back(
              static_cast<Rank>(r), static_cast<std::int32_t>(b), static_cast<std::int32_t>(k));
    }
  std::map<PlanPlace, std::vector<PlanPlace>> meetings;
  for (const auto& [name, places] : by_count)
    for (const PlanPlace& place : places) meetings[place] = places;
  return meetings;
}

/// The operations of a graph's events, each after those that it waits for, and each block's in its own order. If events
/// wait in a circle, the k-th operations of all blocks stand together.
std::vector<PlanPlace> in_order(const PlanGraph& graph) {
  std::vector<PlanPlace> all;
  const auto order = programs::order_of(graph.events, graph.edges);
  for (Event e = 0; e < graph.events; ++e) all.push_back(place_of(graph.sites[order ? (*order)[e] : e]));
  if (!order)
    std::stable_sort(all.begin(), all.end(),
                     [](const PlanPlace& a, const PlanPlace& b) { return std::get<2>(a) < std::get<2>(b); });
  return all;
}

}  // namespace

const PlanOperation& plan_operation(const ExecutionPlan& plan, const PlanPlace& place) {
  const auto& [rank, block, operation] = place;
  return operation_at(plan, {rank, block, operation, 0});
}

std::uint32_t FoundFault::iterations() const {
  std::uint32_t most = 0;
  for (const Counterexample::Site& site : sites)
    if (site.iteration) most = std::max(most, *site.iteration + 1);
  return most;
}

std::vector<PlanPlace> FoundFault::places(const ExecutionPlan& unrolled) const {
  std::vector<PlanPlace> places;
  for (const Counterexample::Site& site : sites) {
    const auto& block =
        unrolled.gpus[static_cast<std::size_t>(site.rank)].blocks[static_cast<std::size_t>(site.thread)];
    const auto found = std::find_if(block.operations.begin(), block.operations.end(), [&](const PlanOperation& o) {
      return o.position == site.number && o.iteration == site.iteration;
    });
    if (found != block.operations.end())
      places.emplace_back(site.rank, site.thread, static_cast<std::int32_t>(found - block.operations.begin()));
  }
  return places;
}

FoundFault fault_of(const ExecutionPlan& plan) {
  const Report report = verify(plan);
  for (const PropertyResult& p : report.properties) {
    if (!p.required || !p.counterexample) continue;
    const auto* unsafe = std::get_if<Counterexample::Told>(&p.counterexample->what);
    if (unsafe == nullptr) continue;
    FoundFault fault{unsafe->facts.sites, unsafe->lines};
    fault.lines.front() = fmt::format("{}: {}", p.id, fault.lines.front());
    if (has_pipelines(plan))
      for (const std::string& way : p.counterexample->ways) fault.lines.push_back("this happens " + way);
    return fault;
  }
  return {};
}

PlanRunOrder::PlanRunOrder(const ExecutionPlan& plan, std::uint32_t units) : meetings_(meetings_of(plan)) {
  const PlanMemory memory(plan, units);
  PlanGraph graph = plan_graph(plan, 1);
  connect_packets(plan, memory, 1, graph);
  note_orders(graph);
  std::set<PlanPlace> seen;
  for (const PlanPlace& place : in_order(graph))
    if (std::get<2>(place) >= 0)
      for (const PlanPlace& each : with_meeting(place))
        if (seen.insert(each).second) places_.push_back(each);
}

std::vector<PlanPlace> PlanRunOrder::with_meeting(const PlanPlace& place) const {
  const auto meeting = meetings_.find(place);
  return meeting == meetings_.end() ? std::vector{place} : meeting->second;
}

void PlanRunOrder::note_orders(const PlanGraph& graph) {
  std::set<std::pair<PlanPlace, PlanPlace>> seen;
  for (const Edge& e : graph.edges) {
    const PlanSite &a = graph.sites[e.before], &b = graph.sites[e.after];
    const bool is_between = a.operation >= 0 && b.operation >= 0 && (a.rank != b.rank || a.block != b.block) &&
                            !meetings_.contains(place_of(a)) && !meetings_.contains(place_of(b));
    if (is_between && e.why != Why::some_run && seen.emplace(place_of(a), place_of(b)).second)
      orders_.push_back({place_of(a), place_of(b)});
  }
}

}  // namespace onceover::viz
