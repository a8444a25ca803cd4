#include "subjects/profile.h"

#include <fmt/format.h>

#include "base/closest.h"

namespace onceover::subjects {

Result<const MscclProfile*> profile_named(const std::string& name) {
  if (const MscclProfile* row = find_msccl_profile(name)) return row;
  std::vector<std::string_view> names;
  for (const MscclProfile& row : msccl_profiles()) names.push_back(row.name);
  return usage_error(
      fmt::format("--profile: no profile '{}'{}; there are {}", name, suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace onceover::subjects
