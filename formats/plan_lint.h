// What does the runtime of MSCCL++ make of a plan? It refuses little, and goes on where it should refuse.
#pragma once

#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"
#include "formats/lint_finding.h"

namespace onceover::formats {

inline constexpr std::string_view plan_profile = "mscclpp";
inline constexpr std::string_view plan_runtime = "MSCCL++ of August 2026";

/// The first 1000 findings, in the order of the file: what makes the runtime refuse the plan; what it takes silently,
/// and then goes wrong; and, as notes, what it does otherwise than documented. A text that isn't JSON is an error.
/// O(text), and O(text) for each finding, whose line must be counted.
tl::expected<std::vector<LintFinding>, SourceError> lint_plan(std::string_view name, std::string_view text);

}  // namespace onceover::formats
