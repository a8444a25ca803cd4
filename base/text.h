// Texts: kinds of letters, parts, numbers read from them, and words for a command line.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

// Kinds of letters, in ASCII and independent of the locale.

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// May the letter be part of a name?
constexpr bool is_in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// A space, a tab, or a line end.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/// May begin a text in UTF-8.
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The parts between the separators: "4x6" at 'x' gives "4" and "6", "" gives one empty part. The parts point into
/// `text`, which must outlive them.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The word as a shell reads it, in quotes if necessary.
std::string shell_word(std::string_view word);

/// The words with a blank before each, as a shell reads them.
std::string shell_words(const std::vector<std::string>& words);

/// The text with `by` in the place of each `what`.
std::string replaced(std::string text, std::string_view what, std::string_view by);

/// The number that the whole text spells: digits, behind a '-' if Number is signed. Nothing if the text has other
/// letters or the number doesn't fit.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

/// The same for a number from `least` to `most`.
template <class Number>
std::optional<Number> parse_whole(std::string_view text, std::type_identity_t<Number> least,
                                  std::type_identity_t<Number> most) {
  const auto number = parse_whole<Number>(text);
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

/// Reads a decimal number, like "1.5e-3", from the beginning of the text, as std::from_chars does: the value is kept if
/// there is none, or if it doesn't fit.
std::from_chars_result read_decimal(const char* begin, const char* end, double& value);

}  // namespace onceover::base
