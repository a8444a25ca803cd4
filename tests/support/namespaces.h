// What the tests' own namespace sees.
#pragma once

#include "base/namespaces.h"

namespace onceover::support {
using namespace network;
using namespace programs;
}  // namespace onceover::support
