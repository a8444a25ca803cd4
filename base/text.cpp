#include "base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <version>

namespace onceover::base {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + shell_word(word);
  return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

#ifdef __cpp_lib_to_chars

std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
  return std::from_chars(begin, end, value);
}

#else  // the standard library reads whole numbers only

namespace {

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

/// The end of the decimal number at `begin`; `begin` where there is none.
const char* end_of_decimal(const char* begin, const char* end) {
  const char* whole = begin != end && *begin == '-' ? begin + 1 : begin;
  const char* at = skip_digits(whole, end);
  std::ptrdiff_t digits = at - whole;
  if (at != end && *at == '.') {
    const char* last = skip_digits(at + 1, end);
    digits += last - (at + 1);
    at = last;
  }
  if (digits == 0) return begin;
  if (at == end || (*at != 'e' && *at != 'E')) return at;
  const char* exponent = at + 1;
  if (exponent != end && (*exponent == '-' || *exponent == '+')) ++exponent;
  const char* last = skip_digits(exponent, end);
  return last == exponent ? at : last;
}

}  // namespace

std::from_chars_result read_decimal(const char* begin, const char* end, double& value) {
  const char* last = end_of_decimal(begin, end);
  if (last == begin) return {begin, std::errc::invalid_argument};
  errno = 0;
  const double read = std::strtod(std::string(begin, last).c_str(), nullptr);
  if (errno == ERANGE) return {last, std::errc::result_out_of_range};
  value = read;
  return {last, std::errc{}};
}

#endif

}  // namespace onceover::base
