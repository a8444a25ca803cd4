#include "programs/plan_pipelines.h"

#include <algorithm>

#include "formats/plan.h"

namespace onceover::programs {

namespace {

constexpr std::uint64_t shared_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t shared_room = std::uint64_t{128} << 20;  // shares are rounded up, and reach beyond
constexpr std::uint32_t most_iterations = 256;
constexpr std::uint64_t most_unrolled = std::uint64_t{1} << 23;  // operations * blocks of all numbers of iterations

template <class Use>
void for_each_block(const ExecutionPlan& plan, Use&& use) {
  for (const PlanGpu& gpu : plan.gpus)
    for (const PlanBlock& block : gpu.blocks) use(block);
}

/// Any pipeline; all are alike if they can be judged.
const PlanPipeline* any_pipeline(const ExecutionPlan& plan) {
  const PlanPipeline* any = nullptr;
  for_each_block(plan, [&](const PlanBlock& block) {
    if (!block.pipelines.empty()) any = &block.pipelines.front();
  });
  return any;
}

bool is_repeated(const PlanBlock& block, std::size_t k) {
  return std::any_of(block.pipelines.begin(), block.pipelines.end(),
                     [k](const PlanPipeline& p) { return p.first <= k && k < p.first + p.count; });
}

bool has_packets(const PlanOperation& o) {
  for (std::size_t k = 0; k < o.sources.size(); ++k)
    if (is_packet_source(o, k)) return true;
  for (std::size_t k = 0; k < o.targets.size(); ++k)
    if (is_packet_target(o, k)) return true;
  return false;
}

/// Does an operation that isn't repeated use scratch?
bool uses_whole_scratch(const ExecutionPlan& plan) {
  bool uses = false;
  for_each_block(plan, [&](const PlanBlock& block) {
    for (std::size_t k = 0; k < block.operations.size(); ++k)
      for (const auto* ranges : {&block.operations[k].sources, &block.operations[k].targets})
        for (const PlanRange& range : *ranges) uses |= range.buffer == Buffer::scratch && !is_repeated(block, k);
  });
  return uses;
}

bool shares_scratch(const ExecutionPlan& plan) {
  return plan.reuses_resources &&
         std::any_of(plan.gpus.begin(), plan.gpus.end(), [](const PlanGpu& gpu) { return gpu.chunks.scratch > 0; });
}

bool has_equal_scratch(const ExecutionPlan& plan) {
  return std::all_of(plan.gpus.begin(), plan.gpus.end(),
                     [&](const PlanGpu& gpu) { return gpu.chunks.scratch == plan.gpus.front().chunks.scratch; });
}

/// How many iterations the ring of shared scratch has room for.
std::uint32_t ring_of(const ExecutionPlan& plan) {
  const auto share = most_shared_chunk(plan);
  if (!share) return UINT32_MAX;
  return static_cast<std::uint32_t>(*share / any_pipeline(plan)->unit_bytes);
}

}  // namespace

std::uint64_t message_limit(const ExecutionPlan& plan) {
  const std::uint64_t chunks = message_chunks(plan);
  std::uint64_t most = chunks;
  for (const PlanGpu& gpu : plan.gpus) {
    const std::uint64_t half =
        plan.has_two_halves ? static_cast<std::uint64_t>(gpu.chunks.scratch) * (plan.has_packet_scratch ? 2 : 1) : 0;
    const auto count = [&](const PlanRange& range, bool is_packet) {
      if (range.buffer == Buffer::scratch && plan.reuses_resources) return;  // 64 MiB
      const auto end = static_cast<std::uint64_t>(std::int64_t{range.index} + range.size);
      most = std::max(most, end * (is_packet ? 2 : 1) + (range.buffer == Buffer::scratch ? half : 0));
    };
    for (const PlanBlock& block : gpu.blocks)
      for (const PlanOperation& o : block.operations) {
        for (std::size_t k = 0; k < o.sources.size(); ++k) count(o.sources[k], is_packet_source(o, k));
        for (std::size_t k = 0; k < o.targets.size(); ++k) count(o.targets[k], is_packet_target(o, k));
      }
  }
  return largest_message * chunks / most;
}

bool has_pipelines(const ExecutionPlan& plan) {
  return any_pipeline(plan) != nullptr;
}

std::optional<std::uint64_t> most_shared_chunk(const ExecutionPlan& plan) {
  if (!shares_scratch(plan)) return std::nullopt;
  const auto chunks = static_cast<std::uint64_t>(plan.gpus.front().chunks.scratch);
  const std::uint64_t share = (shared_bytes + chunks - 1) / chunks;
  return (share + plan.alignment - 1) / plan.alignment * plan.alignment;
}

std::optional<std::string> unjudged_pipelines(const ExecutionPlan& plan) {
  if (shares_scratch(plan) && (plan.has_packet_scratch || plan.has_two_halves))
    return "it shares scratch with other plans, and with packets or two halves the room for it isn't known";
  const bool is_equal = has_equal_scratch(plan);
  if (shares_scratch(plan) && !is_equal) return "GPUs have different numbers of chunks of scratch that plans share";
  if (shares_scratch(plan) &&
      *most_shared_chunk(plan) * static_cast<std::uint64_t>(plan.gpus.front().chunks.scratch) > shared_room)
    return "it has so many chunks of shared scratch, or such an alignment, that the shared buffer is too small";
  if (plan.has_two_halves && !is_equal)
    return "GPUs have different numbers of chunks of scratch, and each finds the second half of another's by its own";
  const PlanPipeline* first = any_pipeline(plan);
  if (first == nullptr) return std::nullopt;
  std::optional<std::string> why;
  if (first->unit_bytes % plan.alignment != 0)
    why = "the iterations of pipelines end within a unit of buffer_alignment";
  for_each_block(plan, [&](const PlanBlock& block) {
    for (const PlanPipeline& p : block.pipelines)
      if (p.unit_bytes != first->unit_bytes || p.chunks != 1)
        why = "pipelines are of different units, or of several chunks";
    for (const PlanOperation& o : block.operations) {
      if (has_packets(o)) why = "there are packets beside pipelines";
      if (o.slice.parts > 1) why = "there are blocks that share an operation beside pipelines";
    }
  });
  return why;
}

ExecutionPlan unrolled(const ExecutionPlan& plan, std::uint32_t iterations) {
  ExecutionPlan result = plan;
  result.alignment = any_pipeline(plan)->unit_bytes;
  result.scratch_ring = ring_of(plan);
  for (PlanGpu& gpu : result.gpus)
    for (PlanBlock& block : gpu.blocks) {
      std::vector<PlanOperation> all;
      std::size_t next = 0;
      const auto take = [&](std::size_t end) {
        for (; next < end; ++next) all.push_back(block.operations[next]);
      };
      for (const PlanPipeline& p : block.pipelines) {
        take(p.first);
        for (std::uint32_t i = 0; i < iterations; ++i)
          for (next = p.first; next < p.first + p.count; ++next) {
            all.push_back(block.operations[next]);
            all.back().iteration = i;
          }
        next = p.first + p.count;
      }
      take(block.operations.size());
      block.operations = std::move(all);
      block.pipelines.clear();
    }
  return result;
}

PipelineSizes pipeline_sizes(const ExecutionPlan& plan, const MessageSizes& window, std::uint64_t budget) {
  const std::uint64_t unit = any_pipeline(plan)->unit_bytes;
  const std::uint64_t step = message_chunks(plan) * plan.alignment;  // sizes of messages are multiples
  const std::uint64_t least = std::max<std::uint64_t>(1, window.least / step + (window.least % step != 0 ? 1 : 0));
  const std::uint64_t most = std::min(window.most, message_limit(plan) - 1) / step;
  PipelineSizes sizes;
  if (most < least) return sizes;
  const auto iterations = [&](std::uint64_t steps) { return (steps * plan.alignment + unit - 1) / unit; };
  std::uint64_t operations = 0, blocks = 0;
  for_each_block(plan, [&](const PlanBlock& block) {
    operations += block.operations.size();
    ++blocks;
  });
  const bool is_exact =
      most_shared_chunk(plan).value_or(0) % unit == 0 && !uses_whole_scratch(plan) && !plan.breaks_in_ring;
  const std::uint64_t judged = is_exact ? most_iterations : std::min(most_iterations, ring_of(plan));
  std::uint64_t work = 0;
  for (std::uint64_t n = iterations(least); n <= iterations(most); ++n) {
    work += n * operations * blocks;
    sizes.are_all = n <= judged && work <= std::min(most_unrolled, budget);
    if (!sizes.are_all) break;
    sizes.iterations.push_back(static_cast<std::uint32_t>(n));
  }
  return sizes;
}

}  // namespace onceover::programs
