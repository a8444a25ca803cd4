#include "subjects/profile.h"

#include <fmt/format.h>

#include "base/closest.h"

namespace onceover::subjects {

Result<const MscclProfile*> parse_profile(const std::string& text) {
  if (const MscclProfile* row = find_msccl_profile(text)) return row;
  std::vector<std::string_view> names;
  for (const MscclProfile& row : msccl_profiles()) names.push_back(row.name);
  return usage_error(
      fmt::format("--profile: no profile '{}'{}; there are {}", text, suggestion(text, names), fmt::join(names, ", ")));
}

}  // namespace onceover::subjects
