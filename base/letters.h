// Kinds of letters: those of ASCII, whatever the locale.
#pragma once

#include "base/namespaces.h"

namespace onceover::base {

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// A letter, a digit or '_': what names are made of.
constexpr bool is_in_name(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}

/// A blank, a tab, or the end of a line.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

}  // namespace onceover::base
