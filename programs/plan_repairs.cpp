// Whether a nop removes a race is read off the clocks of the plan with it: its tasks are ordered. Only then is the plan
// judged as a whole, since that costs all sizes and several calls.

#include <fmt/format.h>

#include <algorithm>

#include "programs/plan_size.h"
#include "programs/plan_waits.h"

namespace onceover::programs {

namespace {

constexpr std::size_t most_places = 8;

/// Between the operations `before - 1` and `before` of a block.
struct NopPlace {
  Rank rank;
  std::int32_t block;
  std::int32_t before;
  friend bool operator==(const NopPlace&, const NopPlace&) = default;
};

const std::vector<PlanOperation>& operations_at(const ExecutionPlan& plan, const PlanSite& site) {
  return plan.gpus[static_cast<std::size_t>(site.rank)].blocks[static_cast<std::size_t>(site.block)].operations;
}

bool is_meeting(const PlanOperation& o) {
  return o.instruction == PlanInstruction::nop || o.instruction == PlanInstruction::barrier;
}

/// The places from `first` on, up or down, until the block meets anyway.
void add_places(const ExecutionPlan& plan, const PlanSite& site, std::int32_t first, std::int32_t by,
                std::vector<NopPlace>& places) {
  const auto& operations = operations_at(plan, site);
  const auto at = [&](std::int32_t k) -> const PlanOperation& { return operations[static_cast<std::size_t>(k)]; };
  std::size_t added = 0;
  for (std::int32_t k = first; k > 0 && k < static_cast<std::int32_t>(operations.size()); k += by) {
    if (is_meeting(at(k - 1)) || is_meeting(at(k)) || added++ == most_places) return;
    const NopPlace place{site.rank, site.block, k};
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
}

std::vector<NopPlace> places_for(const ExecutionPlan& plan, const PlanRace& race) {
  const auto is_operation = [](const PlanTask& task) { return task.kind == PlanTask::Kind::operation; };
  const auto& [first, second] = race.tasks;
  std::vector<NopPlace> places;
  if (is_operation(first)) add_places(plan, first.site, first.site.operation + 1, 1, places);
  if (is_operation(second)) add_places(plan, second.site, second.site.operation, -1, places);
  // A block whose operations are as many as the runtime takes has no room for another.
  std::erase_if(places, [&](const NopPlace& p) {
    return operations_at(plan, {p.rank, p.block}).size() >= static_cast<std::size_t>(formats::most_block_operations);
  });
  return places;
}

ExecutionPlan with_nop(ExecutionPlan plan, const NopPlace& place) {
  auto& operations =
      plan.gpus[static_cast<std::size_t>(place.rank)].blocks[static_cast<std::size_t>(place.block)].operations;
  const auto at = operations.begin() + place.before;
  PlanOperation nop{.word = "nop", .position = at->position, .line = at->line, .column = at->column};
  for (auto o = at; o != operations.end(); ++o) ++o->position;
  operations.insert(at, std::move(nop));
  return plan;
}

/// Has each GPU the same operations around the place, and room for another?
bool is_alike_on_every_gpu(const ExecutionPlan& plan, const NopPlace& place) {
  const auto& here = operations_at(plan, {place.rank, place.block});
  return std::all_of(plan.gpus.begin(), plan.gpus.end(), [&](const PlanGpu& gpu) {
    const auto block = static_cast<std::size_t>(place.block), before = static_cast<std::size_t>(place.before);
    if (gpu.blocks.size() <= block) return false;
    const auto& there = gpu.blocks[block].operations;
    return before < there.size() && there.size() < static_cast<std::size_t>(formats::most_block_operations) &&
           there[before - 1].word == here[before - 1].word && there[before].word == here[before].word;
  });
}

/// Is it the task of the plan without the nop?
bool is_same(const PlanTask& old, const PlanTask& task, const NopPlace& place) {
  const bool is_behind =
      old.site.rank == place.rank && old.site.block == place.block && old.site.operation >= place.before;
  return old.kind == task.kind && old.movement == task.movement && old.only_waits == task.only_waits &&
         old.site.rank == task.site.rank && old.site.block == task.site.block && old.site.call == task.site.call &&
         old.site.operation + (is_behind ? 1 : 0) == task.site.operation;
}

/// Does the plan with the nop order the tasks of the race in every run?
bool orders_tasks(const ExecutionPlan& plan, const NopPlace& place, const PlanRaceSeen& seen) {
  const PlanMemory memory(plan, seen.units);
  PlanGraph graph = plan_graph(plan, seen.calls);
  connect_packets(plan, memory, seen.calls, graph);
  if (!graph.starved.empty() || graph.clash || graph.undetermined) return false;
  const auto order = order_of(graph.events, graph.edges);
  if (!order) return false;
  const auto task = [&](std::size_t k) {
    return std::find_if(graph.tasks.begin(), graph.tasks.end(),
                        [&](const PlanTask& t) { return is_same(seen.race.tasks[k], t, place); });
  };
  const auto first = task(0), second = task(1);
  if (first == graph.tasks.end() || second == graph.tasks.end()) return false;
  const EventClocks clocks(graph, *order, beginnings(graph));
  return clocks.is_ordered(*first, *second) || clocks.is_ordered(*second, *first);
}

NopRepair repair(const ExecutionPlan& plan, const NopPlace& place, const Report& report) {
  const auto& operations = operations_at(plan, {place.rank, place.block});
  const auto position = [&](std::int32_t k) { return operations[static_cast<std::size_t>(k)].position; };
  NopRepair repair{place.rank, place.block, position(place.before - 1), position(place.before),
                   report.verdict == Verdict::pass};
  for (const PropertyResult& p : report.properties)
    if (p.required && p.verdict == Verdict::fail) repair.still_fails.emplace_back(p.id);
  return repair;
}

/// Adds a flush of these channels at the end of a block, if it has room for one.
bool add_flush(PlanBlock& block, std::vector<std::int32_t> channels) {
  if (block.operations.size() >= static_cast<std::size_t>(formats::most_block_operations) || !block.pipelines.empty() ||
      channels.size() > formats::most_operation_channels)
    return false;
  PlanOperation flush{.instruction = PlanInstruction::flush, .word = "flush", .channel = ChannelType::port};
  flush.position = static_cast<std::int32_t>(block.operations.size());
  flush.ids = std::move(channels);
  block.operations.push_back(std::move(flush));
  return true;
}

/// The port channels on which the block puts.
std::vector<std::int32_t> port_channels_of(const PlanBlock& block) {
  std::vector<std::int32_t> channels;
  for (const PlanOperation& o : block.operations)
    if (o.channel == ChannelType::port && !o.targets.empty())
      for (const std::int32_t id : o.ids)
        if (std::find(channels.begin(), channels.end(), id) == channels.end()) channels.push_back(id);
  return channels;
}

}  // namespace

std::optional<std::string> repair_by_flush(const ExecutionPlan& plan, const PlanRaceSeen& seen,
                                           const PlanJudgement& judge) {
  const auto& tasks = seen.race.tasks;
  const auto is_of_port = [](const PlanTask& t) { return t.kind == PlanTask::Kind::operation && t.movement >= 0; };
  if (plan.is_as_executed || (!is_of_port(tasks[0]) && !is_of_port(tasks[1]))) return std::nullopt;
  const PlanTask& task = is_of_port(tasks[0]) ? tasks[0] : tasks[1];
  const PlanSite& site = task.site;
  const std::int32_t channel = operation_at(plan, site).ids[static_cast<std::size_t>(task.movement)];
  ExecutionPlan one = plan;
  PlanBlock& block = one.gpus[static_cast<std::size_t>(site.rank)].blocks[static_cast<std::size_t>(site.block)];
  if (add_flush(block, {channel}) && judge(one).verdict == Verdict::pass)
    return fmt::format("needs a flush of port channel {} at the end of gpu {}, block {}; the plan with it passes",
                       channel, site.rank, site.block);
  ExecutionPlan all = plan;
  for (PlanGpu& gpu : all.gpus)
    for (PlanBlock& each : gpu.blocks)
      if (auto channels = port_channels_of(each); !channels.empty() && !add_flush(each, std::move(channels)))
        return std::nullopt;
  if (judge(all).verdict != Verdict::pass) return std::nullopt;
  return "needs a flush of its port channels at the end of each block that puts on some; the plan with them passes";
}

std::optional<NopRepair> repair_of(const ExecutionPlan& plan, const PlanRaceSeen& seen, const PlanJudgement& judge) {
  std::optional<NopRepair> best;
  for (const NopPlace& place : places_for(plan, seen.race)) {
    const ExecutionPlan repaired = with_nop(plan, place);
    if (!orders_tasks(repaired, place, seen)) continue;
    const auto found = repair(plan, place, judge(repaired));
    if (found.passes) return found;
    if (!best || found.still_fails.size() < best->still_fails.size()) best = found;
  }
  return best;
}

std::optional<std::string> repair_on_every_gpu(const ExecutionPlan& plan, const PlanRaceSeen& seen,
                                               const PlanJudgement& judge) {
  for (const NopPlace& place : places_for(plan, seen.race)) {
    if (plan.gpus.size() == 1 || !is_alike_on_every_gpu(plan, place)) continue;
    if (!orders_tasks(with_nop(plan, place), place, seen)) continue;
    ExecutionPlan repaired = plan;
    for (std::size_t r = 0; r < plan.gpus.size(); ++r)
      repaired = with_nop(std::move(repaired), {static_cast<Rank>(r), place.block, place.before});
    if (judge(repaired).verdict != Verdict::pass) continue;
    const auto& operations = operations_at(plan, {place.rank, place.block});
    return fmt::format("needs a nop between operations {} and {} of block {} on every GPU; the plan with them passes",
                       operations[static_cast<std::size_t>(place.before - 1)].position,
                       operations[static_cast<std::size_t>(place.before)].position, place.block);
  }
  return std::nullopt;
}

}  // namespace onceover::programs
