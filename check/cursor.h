// Reads a text from its start. Errors are thrown as an Outcome, which check_certificate catches.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "check/certificate.h"

namespace check {

class Cursor {
 public:
  explicit Cursor(const Text& text) : name_(text.name), text_(text.content) {}

  std::string_view rest() const { return text_.substr(at_); }
  void pass(std::size_t bytes) { at_ = std::min(at_ + bytes, text_.size()); }
  void pass_any_of(std::string_view characters) {
    at_ = std::min(text_.find_first_not_of(characters, at_), text_.size());
  }

  /// Passes the word if it comes next.
  bool skip(std::string_view word) {
    const bool is_next = rest().starts_with(word);
    if (is_next) pass(word.size());
    return is_next;
  }

  void expect(std::string_view word) {
    const std::string line(word.substr(0, word.find('\n')));
    if (!skip(word)) malformed("expected " + (line.empty() ? "the end of the line" : "'" + line + "'"));
  }

  /// A whole number without sign and leading zeros.
  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), value);
    const auto digits = static_cast<std::size_t>(end - rest().data());
    if (error != std::errc{} || (digits > 1 && rest()[0] == '0') || value < least || value > most)
      malformed("expected a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    pass(digits);
    return value;
  }

  [[noreturn]] void malformed(const std::string& why) const { throw Outcome{Outcome::Kind::malformed, place() + why}; }
  [[noreturn]] void unproven(const std::string& why) const { throw Outcome{Outcome::Kind::unproven, place() + why}; }

 private:
  std::string place() const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t column = before.size() - before.rfind('\n');  // npos is -1
    return name_ + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
           std::to_string(column) + ": ";
  }

  std::string name_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace check
