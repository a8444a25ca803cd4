// --profile, which names a runtime of MSCCL XML.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "schedules/msccl_profile.h"

namespace onceover::cli {

Result<const MscclProfile*> profile_named(const std::string& name);

}  // namespace onceover::cli
