#include "formats/plan_reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"

namespace onceover::formats {

namespace {

/// Does the get name different positions on both sides, which the runtime swaps?
bool is_swapped(const PlanOperation& o) {
  if (o.instruction != PlanInstruction::get) return false;
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if (o.sources[k].index != o.targets[k].index) return true;
  return false;
}

std::size_t count_of(const ExecutionPlan& plan, bool (*is_meant)(const PlanOperation&)) {
  std::size_t found = 0;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      found += static_cast<std::size_t>(std::count_if(block.operations.begin(), block.operations.end(), is_meant));
  return found;
}

/// The runtime takes the source from the memory of the first plan that its process runs.
bool takes_first_memory(const PlanOperation& o) {
  return o.instruction == PlanInstruction::put_packets && o.channel == ChannelType::port;
}

/// Is one side in scratch, and the other isn't? Where scratch is a ring, the runtime turns the positions of the wrong
/// side.
bool crosses_scratch(const PlanOperation& o) {
  if (o.instruction != PlanInstruction::get) return false;
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if ((o.sources[k].buffer == Buffer::scratch) != (o.targets[k].buffer == Buffer::scratch)) return true;
  return false;
}

/// Sums in pipelines over shared scratch: the runtime takes the wrong buffers for their further sources.
std::size_t sums_in_ring(const ExecutionPlan& plan) {
  if (!plan.reuses_resources) return 0;
  std::size_t found = 0;
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanPipeline& p : block.pipelines)
        for (std::size_t k = p.first; k < p.first + p.count; ++k) {
          const PlanInstruction what = block.operations[k].instruction;
          if (what == PlanInstruction::reduce || what == PlanInstruction::reduce_send) ++found;
        }
  return found;
}

bool ends_beyond(const ExecutionPlan& plan, const PlanRange& range) {
  return std::any_of(range.ranks.begin(), range.ranks.end(), [&](Rank rank) {
    const Buffers& chunks = plan.gpus[static_cast<std::size_t>(rank)].chunks;
    const std::int32_t has = range.buffer == Buffer::input    ? chunks.input
                             : range.buffer == Buffer::output ? chunks.output
                                                              : chunks.scratch;
    return std::int64_t{range.index} + range.size > has;
  });
}

void swap_positions(ExecutionPlan& plan, PlanOperation& o) {
  for (std::size_t k = 0; k < o.sources.size(); ++k) {
    std::swap(o.sources[k].index, o.targets[k].index);
    if (ends_beyond(plan, o.sources[k]) || ends_beyond(plan, o.targets[k]))
      plan.unjudged = fmt::format("the runtime swaps the positions of a get (line {}:{}), and one is beyond its buffer",
                                  o.line, o.column);
  }
}

}  // namespace

std::vector<std::string> differences_of_executor(const ExecutionPlan& plan) {
  std::vector<std::string> all;
  if (const std::size_t n = count_of(plan, is_swapped); n > 0)
    all.push_back(fmt::format("swaps the positions of {}", counted(n, "get")));
  const auto is_flush = [](const PlanOperation& o) { return o.instruction == PlanInstruction::flush; };
  if (const std::size_t n = count_of(plan, is_flush); n > 0)
    all.push_back(fmt::format("skips {}", n == 1 ? "1 flush" : fmt::format("{} flushes", n)));
  if (const std::size_t n = count_of(plan, takes_first_memory); n > 0)
    all.push_back(
        fmt::format("takes the sources of {} ppkt on port channels from elsewhere, unless no other plan ran "
                    "before",
                    n));
  if (const std::size_t n = count_of(plan, crosses_scratch); n > 0 && plan.reuses_resources)
    all.push_back(
        fmt::format("takes {} from elsewhere where chunks are larger than their shares of scratch", counted(n, "get")));
  if (const std::size_t n = sums_in_ring(plan); n > 0)
    all.push_back(fmt::format("takes further sources of {} in pipelines from elsewhere", counted(n, "sum")));
  return all;
}

ExecutionPlan as_executed(ExecutionPlan plan) {
  const auto differences = differences_of_executor(plan);
  plan.notes.clear();
  plan.is_as_executed = true;
  plan.breaks_in_ring = plan.reuses_resources && count_of(plan, crosses_scratch) > 0;
  if (sums_in_ring(plan) > 0)
    plan.unjudged = "the runtime takes sources of sums in pipelines that share scratch from elsewhere";
  if (count_of(plan, takes_first_memory) > 0)
    plan.unjudged = "the runtime takes the sources of ppkt on port channels from the memory of the first plan it ran";
  for (const std::string& difference : differences)
    plan.notes.push_back(fmt::format("judged as the runtime of August 2026 runs it, which {}", difference));
  for (PlanGpu& gpu : plan.gpus)
    for (PlanBlock& block : gpu.blocks)
      for (PlanOperation& o : block.operations) {
        if (is_swapped(o)) swap_positions(plan, o);
        if (o.instruction == PlanInstruction::flush) o.ids.clear();
      }
  return plan;
}

}  // namespace onceover::formats
