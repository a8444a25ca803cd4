// Explains a property, with an example that violates it.
#pragma once

#include <string>

#include "verifier/property.h"

namespace onceover::subjects {

/// The text of `verify explain` for a property.
std::string explanation(const Property& property);

}  // namespace onceover::subjects
