#include "base/number_text.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <version>

#include "base/letters.h"

namespace onceover::base {

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
