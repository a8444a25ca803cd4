// From schedules to execution plans of MSCCL++.
#pragma once

#include <tl/expected.hpp>

#include "formats/lowering.h"
#include "formats/plan.h"
#include "schedules/schedule.h"

namespace onceover::formats {

struct PlanLoweringOptions {
  bool in_place = false;      // the result replaces the input; false: the input is copied first
  bool with_packets = false;  // protocol LL: data comes with flags, and there are no signals; scratch has two halves
};

/// The plan of a schedule, which may be called again and again; or why there is none: a broadcast or reduce, of which
/// MSCCL++ has no promise; what has no program (lowering.h); more GPUs, chunks or blocks than plan.h allows. A block of
/// the schedule is a chunk, numbered as in lowering.h.
///
/// A GPU runs its operations one after another. If they are more than a block may have, or use too many channels or
/// remote buffers, several blocks run them in turn, and semaphores pass the turn on. A block that puts to another, or
/// is put to, has a memory channel of its own with each block that it exchanges signals with. O(operations * ranks)
/// time and memory.
tl::expected<ExecutionPlan, NotLowered> lower_for_mscclpp(const Schedule& schedule, const PlanLoweringOptions& options);

}  // namespace onceover::formats
