// --profile, which names a runtime of MSCCL XML or of plans of MSCCL++; and --reading.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "formats/msccl_profile.h"
#include "formats/plan.h"

namespace onceover::subjects {

Result<const MscclProfile*> parse_profile(const std::string& text);

/// A runtime whose loader lint knows: of MSCCL XML, or that of plans of MSCCL++.
struct LintProfile {
  const MscclProfile* msccl = nullptr;  // null: that of plans
};

Result<LintProfile> parse_lint_profile(const std::string& text);

/// Parses --reading, of plans of MSCCL++.
Result<PlanReading> parse_reading(const std::string& text);

}  // namespace onceover::subjects
