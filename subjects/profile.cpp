#include "subjects/profile.h"

#include <fmt/format.h>

#include "base/closest.h"
#include "base/rows.h"
#include "formats/lint.h"

namespace onceover::subjects {

Result<const MscclProfile*> parse_profile(const std::string& text) {
  if (const MscclProfile* row = find_msccl_profile(text)) return row;
  return no_such("--profile: no profile", text, mapped(msccl_profiles(), &MscclProfile::name));
}

Result<LintProfile> parse_lint_profile(const std::string& text) {
  if (text == plan_profile) return LintProfile{};
  if (const MscclProfile* row = find_msccl_profile(text)) return LintProfile{row};
  auto names = mapped(msccl_profiles(), &MscclProfile::name);
  names.push_back(plan_profile);
  return no_such("--profile: no profile", text, names);
}

Result<PlanReading> parse_reading(const std::string& text) {
  std::vector<std::string_view> names;
  for (const auto& [name, reading] : plan_readings) {
    if (name == text) return reading;
    names.push_back(name);
  }
  return no_such("--reading: no reading", text, names);
}

}  // namespace onceover::subjects
