// Counts in sentences.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace onceover::base {

/// "1 step", "3 steps".
inline std::string counted(std::uint64_t n, std::string_view one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

}  // namespace onceover::base
