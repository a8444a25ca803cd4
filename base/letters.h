// What letters and digits are to the formats read here, whatever the locale.
#pragma once

#include "base/namespaces.h"

namespace onceover::base {

/// A letter of English.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// What the names of formulas and of C are made of, digits apart.
constexpr bool is_letter_or_underscore(char c) {
  return is_letter(c) || c == '_';
}

}  // namespace onceover::base
