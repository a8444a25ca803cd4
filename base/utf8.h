// Texts of other programs, made fit for files that must be UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// `text` with replacement characters for bytes that aren't UTF-8, and '?' for control characters except tabs and
/// newlines.
std::string readable(std::string_view text);

}  // namespace onceover::base
