// Writes execution plans of MSCCL++.
#pragma once

#include <cstdio>

#include "formats/plan.h"

namespace onceover::formats {

/// Writes the plan in the format of August 2025, one operation a line; the same plan always gives the same bytes. It
/// must use memory channels alone, and no pipelines, as the plans of plan_lowering.h do. Returns false if writing
/// failed; errno says why. O(operations + GPUs * peers).
bool write_plan(const ExecutionPlan& plan, std::FILE* file);

}  // namespace onceover::formats
