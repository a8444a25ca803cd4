// Fonts: which families a picture can be written in.
#pragma once

#include <string>
#include <string_view>

#include "base/exit_code.h"

namespace onceover::viz {

/// Passes a family that fontconfig has, or has a substitute for, as for Times and Helvetica; words of style may follow,
/// like "Liberation Serif Bold" or "Times-Bold". The error names those that there are. Asks the programs fc-list and
/// fc-match; without them every name passes.
Result<void> check_font(std::string_view flag, const std::string& name);

}  // namespace onceover::viz
