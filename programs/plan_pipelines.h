// Pipelines of MSCCL++ plans, unrolled: what runs in a loop is there once for each iteration.
//
// All pipelines of a plan must take the same bytes in an iteration. Then a chunk has one unit for each iteration, the
// last of which may be shorter, and two messages with equally many iterations differ in nothing else. So a number of
// iterations stands for all sizes that have it.
//
// With reuse_resources a chunk of scratch has only its share of 64 MiB. If the message is larger, the iterations use
// the units of that share in turn: the plan's `scratch_ring`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/plan.h"
#include "verifier/verify.h"

namespace onceover::programs {

bool has_pipelines(const ExecutionPlan& plan);

/// Why the plan's pipelines, or its shared or halved scratch, can't be judged; nothing if they can.
std::optional<std::string> unjudged_pipelines(const ExecutionPlan& plan);

/// The plan with its operations repeated so often, and a unit for each iteration.
ExecutionPlan unrolled(const ExecutionPlan& plan, std::uint32_t iterations);

/// Numbers of iterations to judge, ascending. There may be too many, or some that can't be judged.
struct PipelineSizes {
  std::vector<std::uint32_t> iterations = {};
  bool are_all = true;
};

/// Those of all messages of these sizes below `message_limit`, as far as their operations times blocks fit into a
/// budget, of 2^23 at most.
PipelineSizes pipeline_sizes(const ExecutionPlan& plan, const MessageSizes& window, std::uint64_t budget);

/// The most bytes of a chunk with which scratch that plans share is as large as the plan takes it to be: its share of
/// 64 MiB, rounded up to the alignment, as the runtime does.
std::optional<std::uint64_t> most_shared_chunk(const ExecutionPlan& plan);

/// Bytes of messages, exclusive.
inline constexpr std::uint64_t largest_message = std::uint64_t{1} << 32;

/// From so many bytes of a message on, 32 bits of an offset may overflow. It is less than `largest_message` if
/// operations reach farther into scratch than a message is long. O(operations).
std::uint64_t message_limit(const ExecutionPlan& plan);

}  // namespace onceover::programs
