// The keys of a check, for other files whose tables ask the same as checks.
#pragma once

#include <span>

#include "base/keys.h"
#include "gate/gate.h"

namespace onceover::gate {

/// The keys in the order in which they are read. `fits` says which kinds of subjects a key applies to, by the bits 1 <<
/// kind.
std::span<const Key<Check>> keys_of_checks();

}  // namespace onceover::gate
