// The keys of a check, for other files whose tables ask what checks ask.
#pragma once

#include <span>

#include "gate/gate.h"
#include "gate/keys.h"

namespace onceover::gate {

/// In the order in which they are read. What a key goes with are kinds of subjects: `fits` has the bits 1 << kind.
std::span<const Key<Check>> keys_of_checks();

}  // namespace onceover::gate
