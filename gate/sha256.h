// SHA-256, computed by Nettle.
#pragma once

#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::gate {

/// The digest of a text, as 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace onceover::gate
