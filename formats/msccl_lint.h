// Would a runtime load an MSCCL XML file? Checks its requirements on attributes, and its limits.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/source_text.h"
#include "formats/lint_finding.h"
#include "formats/msccl_profile.h"

namespace onceover::formats {

/// The first 1000 findings, in the order of the file; only the first of one kind in each element. A text that isn't XML
/// is an error.
tl::expected<std::vector<LintFinding>, SourceError> lint_msccl(std::string_view name, std::string_view text,
                                                               const MscclProfile& profile);

}  // namespace onceover::formats
