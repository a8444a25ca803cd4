// What is wrong with a picture as it is rendered.
#pragma once

#include <string>
#include <vector>

#include "viz/ink/picture.h"

namespace onceover::support {

/// Texts that overlap or leave the picture, as do other shapes; labels wider than what they name; heads that are too
/// long or over a circle; numbers with exponents. At most eight.
std::vector<std::string> faults_of(const viz::Picture& picture);

}  // namespace onceover::support
