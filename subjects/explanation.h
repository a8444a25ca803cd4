// What a property means, by an example that violates it.
#pragma once

#include <string>

#include "verifier/property.h"

namespace onceover::subjects {

/// What `verify explain` says of a property.
std::string explanation(const Property& property);

}  // namespace onceover::subjects
