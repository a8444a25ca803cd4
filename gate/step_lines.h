// The lines of a schedule file's steps.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/namespaces.h"

namespace onceover::gate {

/// The line, from 1, on which each step of a schedule file begins. O(text).
std::vector<std::size_t> step_lines(std::string_view text);

}  // namespace onceover::gate
