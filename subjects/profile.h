// --profile, which names a runtime of MSCCL XML.
#pragma once

#include <string>

#include "base/exit_code.h"
#include "formats/msccl_profile.h"

namespace onceover::subjects {

Result<const MscclProfile*> parse_profile(const std::string& text);

}  // namespace onceover::subjects
