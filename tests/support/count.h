// How often a text is in another.
#pragma once

#include <cstddef>
#include <string_view>

namespace onceover::support {

/// Places where `part`, which isn't empty, begins in the text.
inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace onceover::support
