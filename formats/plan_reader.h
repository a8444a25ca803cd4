// Reads execution plans of MSCCL++. See docs/mscclpp.md.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "base/source_text.h"
#include "formats/plan.h"

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

}  // namespace onceover::formats
