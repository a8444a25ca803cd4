// Kinds of letters, in ASCII and independent of the locale.
#pragma once

#include "base/namespaces.h"

namespace onceover::base {

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

}  // namespace onceover::base
