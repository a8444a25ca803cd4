// Numbers read from text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// The number that the whole text spells: digits, behind a '-' if Number is signed. Nothing if the text has other
/// letters or the number doesn't fit.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Reads a decimal number, like "1.5e-3", from the beginning of the text, as std::from_chars does: the value is kept if
/// there is none, or if it doesn't fit.
std::from_chars_result read_decimal(const char* begin, const char* end, double& value);

}  // namespace onceover::base
