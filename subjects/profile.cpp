#include "subjects/profile.h"

#include <fmt/format.h>

#include "base/closest.h"
#include "base/rows.h"

namespace onceover::subjects {

Result<const MscclProfile*> parse_profile(const std::string& text) {
  if (const MscclProfile* row = find_msccl_profile(text)) return row;
  return no_such("--profile: no profile", text, mapped(msccl_profiles(), &MscclProfile::name));
}

}  // namespace onceover::subjects
