// The verifier of MSCCL++ plans: ExecutionPlan in, Report out.
#pragma once

#include "formats/plan.h"
#include "verifier/verify.h"

namespace onceover::programs {

/// Judges a plan by the properties of programs, and by `balanced` and `repeatable`. See docs/mscclpp.md.
///
/// Each is judged for all sizes of messages that the plan is for. Without slices of block groups, all sizes are alike,
/// so one is judged. With slices of m parts, the ends of slices come in one order from some size on, for each remainder
/// of the chunk; all sizes up to there are judged, and one of each remainder beyond.
///
/// With pipelines, each number of iterations is judged by itself, up to a budget; what passes is unknown if there are
/// more. What can't be judged is unknown: some pipelines and shared scratch, threads that race for a channel, too many
/// sizes. The data is judged in one order; if operations race, what fails in it is a failure, and what holds is
/// unknown. Time: for each size, that of `run_plan` for one call and for several.
Report verify(const ExecutionPlan& plan, const VerifyOptions& options = {});

/// The sizes of messages below `message_limit` that the plan is for, and that are asked for. None if least > most.
MessageSizes sizes_of(const ExecutionPlan& plan, const std::optional<MessageSizes>& asked = {});

/// From some size of a chunk on, those that are so many units of alignment apart are alike. Nothing if it is more than
/// 256. The plan has no pipelines. O(operations).
std::optional<std::uint64_t> size_period(const ExecutionPlan& plan);

/// The sizes of a chunk, in units of alignment, that stand for all messages of these sizes; empty if there are none.
/// Nothing if they are too many. The plan has no pipelines.
std::optional<std::vector<std::uint32_t>> sizes_to_judge(const ExecutionPlan& plan, const MessageSizes& window);

}  // namespace onceover::programs
