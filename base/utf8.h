// Texts of others, such as what a command wrote, before they go into files that must be UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// `text` with a replacement character for what is no UTF-8, and for control characters but tabs and newlines.
std::string readable(std::string_view text);

}  // namespace onceover::base
