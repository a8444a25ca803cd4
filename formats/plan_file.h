// Execution plans of MSCCL++ as files: read, written, and made of schedules. See docs/mscclpp.md.
#pragma once

#include <cstdio>
#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "formats/lowering.h"
#include "formats/plan.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// The plan in a file called `name`. It is strict: every number is in the range of what it counts or numbers, and in
/// the room that the runtime has for it, which the runtime itself doesn't check. Unknown keys are ignored, as there.
/// Files of the first generation (inputChunks, before August 2025) are refused, since some names have changed their
/// meaning.
///
/// At most 1,024 GPUs and 1,048,576 chunks in a buffer. O(text).
tl::expected<ExecutionPlan, SourceError> read_plan(std::string_view name, std::string_view text);

/// Is the text an object with a key "gpus" somewhere, and not one that begins with "format", as schedules do? O(text).
bool looks_like_plan(std::string_view text);

/// Writes the plan in the format of August 2025, one operation a line; the same plan always gives the same bytes. It
/// must use memory channels alone, and no pipelines, as those of `lower_for_mscclpp` do. Returns false if writing
/// failed; errno says why. O(operations + GPUs * peers).
bool write_plan(const ExecutionPlan& plan, std::FILE* file);

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
