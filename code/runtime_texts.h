// The sources of the runtime, which are compiled together with the code under test.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "base/namespaces.h"

namespace onceover::code {

/// The name and text of each.
std::span<const std::pair<std::string_view, std::string_view>> runtime_texts();

}  // namespace onceover::code
