// How long to wait for what a busy machine delays.
#pragma once

#include "base/namespaces.h"

namespace onceover::base {

/// How many times as long as usual to wait before work that doesn't ask whether to stop is cut off, and before a query
/// to a solver is given up: what ONCEOVER_PATIENCE says, from 1 to 1000, and 1 without it. Tests set it, so that what
/// they see doesn't depend on what else a machine does. Limits that the user gave stay what they are.
int patience();

}  // namespace onceover::base
