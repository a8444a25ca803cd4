// Texts that are numbers.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// The number that all of the text is: digits, behind a '-' where Number has negative ones. Nothing if there is
/// anything else in it, or the number doesn't fit.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace onceover::base
