#include "gpu/ptx/lexer.h"

#include <bit>
#include <cctype>
#include <charconv>

#include "base/text.h"

namespace onceover::gpu::ptx {
namespace {

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '.';
}

template <class Number>
std::optional<Number> whole(std::string_view text, int base) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string found(const Token& token) {
  if (token.kind == TokenKind::end) return "the text ends";
  return "found '" + std::string(token.text.substr(0, 40)) + "'";
}

}  // namespace

Lexer::Lexer(std::string_view name, std::string_view text) : name_(name), text_(text) {
  advance();
}

Token Lexer::next() {
  const Token taken = token_;
  advance();
  return taken;
}

bool Lexer::take(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!take(text)) fail("expected '" + std::string(text) + "', " + found(token_));
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (token_.kind == kind) return next();
  fail("expected " + std::string(what) + ", " + found(token_));
  return {};
}

bool Lexer::is_followed_by(char character) const {
  std::size_t at = at_;
  while (at < text_.size() && std::isspace(static_cast<unsigned char>(text_[at])) != 0) ++at;
  return at < text_.size() && text_[at] == character && (character != ':' || text_.substr(at, 2) != "::");
}

void Lexer::skip_braces() {
  const std::size_t start = token_.offset;
  expect("{");
  for (std::size_t depth = 1; depth > 0 && !has_failed();) {
    if (at_end()) return fail(start, "this brace is never closed");
    if (at("{")) ++depth;
    if (at("}")) --depth;
    advance();
  }
}

void Lexer::fail(std::size_t offset, std::string message) {
  if (!error_) error_ = source_error(name_, text_, offset, message);
  at_ = text_.size();
  token_ = {TokenKind::end, {}, text_.size()};
}

void Lexer::advance() {
  if (has_failed()) return;
  skip_blanks();
  if (has_failed()) return;
  const std::size_t start = at_;
  if (start >= text_.size()) {
    token_ = {TokenKind::end, {}, text_.size()};
    return;
  }
  const char c = text_[start];
  const char after = start + 1 < text_.size() ? text_[start + 1] : '\0';
  TokenKind kind = TokenKind::punctuation;
  if (c == '"') {
    const std::size_t end = text_.find_first_of("\"\n", start + 1);
    if (end == std::string_view::npos || text_[end] == '\n') return fail(start, "this text has no closing quote");
    token_ = {TokenKind::text, text_.substr(start + 1, end - start - 1), start};
    at_ = end + 1;
    return;
  }
  if (is_letter(c) || (c == '%' && is_letter(after))) {
    kind = TokenKind::word;
    at_ = end_of_word(start + 1);
  } else if (c == '.' && is_letter(after)) {
    kind = TokenKind::directive;
    at_ = start + 1;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
  } else if (is_digit(c)) {
    kind = TokenKind::number;
    at_ = end_of_number(start);
  } else {
    at_ = start + 1;
  }
  token_ = {kind, text_.substr(start, at_ - start), start};
}

void Lexer::skip_blanks() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return fail(at_, "this comment is never closed");
      at_ = end + 2;
    } else {
      return;
    }
  }
}

std::size_t Lexer::end_of_word(std::size_t at) const {
  for (;;) {
    while (at < text_.size() && is_word(text_[at])) ++at;
    const bool goes_on = text_.substr(at, 2) == "::" && at + 2 < text_.size() && is_word(text_[at + 2]);
    if (!goes_on) return at;
    at += 2;
  }
}

std::size_t Lexer::end_of_number(std::size_t at) const {
  const std::size_t start = at;
  const auto is_decimal = [&] { return text_.substr(start, at - start).find('.') != std::string_view::npos; };
  for (; at < text_.size(); ++at) {
    const bool is_sign = text_[at] == '+' || text_[at] == '-';
    const bool is_exponent = is_sign && (text_[at - 1] == 'e' || text_[at - 1] == 'E') && is_decimal();
    if (!is_word(text_[at]) && !is_exponent) break;
  }
  return at;
}

std::optional<Literal> literal(std::string_view text) {
  const auto has_prefix = [&](char lower) {
    return text.size() > 2 && text[0] == '0' && std::tolower(static_cast<unsigned char>(text[1])) == lower;
  };
  const auto bits = [](std::optional<std::uint64_t> number, bool is_double) -> std::optional<Literal> {
    if (!number) return std::nullopt;
    return Literal{*number, is_double};
  };
  if (has_prefix('f') && text.size() == 10) return bits(whole<std::uint64_t>(text.substr(2), 16), false);
  if (has_prefix('d') && text.size() == 18) return bits(whole<std::uint64_t>(text.substr(2), 16), true);
  if (text.find('.') != std::string_view::npos) {
    double number = 0;
    const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return Literal{std::bit_cast<std::uint64_t>(number), true};
  }
  if (text.ends_with('U') || text.ends_with('u')) text.remove_suffix(1);
  if (has_prefix('x')) return bits(whole<std::uint64_t>(text.substr(2), 16), false);
  if (has_prefix('b')) return bits(whole<std::uint64_t>(text.substr(2), 2), false);
  if (text.size() > 1 && text[0] == '0') return bits(whole<std::uint64_t>(text.substr(1), 8), false);
  return bits(whole<std::uint64_t>(text, 10), false);
}

}  // namespace onceover::gpu::ptx
