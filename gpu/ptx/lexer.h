// The tokens of PTX, and the first error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/source_text.h"

namespace onceover::gpu::ptx {

enum class TokenKind : std::uint8_t {
  word,         // an identifier, a register, or an instruction's name with its modifiers: ld.global.L1::no_allocate.u32
  directive,    // .reg
  number,       // 12, 0x1F, 0f3F800000, 1.5
  text,         // "a.cu"
  punctuation,  // one character
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // without the quotes of a text
  std::size_t offset = 0;

  bool is(std::string_view other) const { return kind != TokenKind::text && text == other; }
};

/// Reads tokens one after the other, with one of lookahead. After an error there are no more.
class Lexer {
 public:
  Lexer(std::string_view name, std::string_view text);

  const Token& peek() const { return token_; }
  Token next();
  bool at(std::string_view text) const { return token_.is(text); }
  bool at_end() const { return token_.kind == TokenKind::end; }
  /// Takes the next token if it is that.
  bool take(std::string_view text);
  /// Takes the next token, which must be that.
  void expect(std::string_view text);
  Token expect(TokenKind kind, std::string_view what);
  /// Is the character after the next token that one? Spaces don't count.
  bool is_followed_by(char character) const;
  /// Takes everything up to the matching brace; the opening one is next.
  void skip_braces();

  /// An error at the offset. Only the first counts.
  void fail(std::size_t offset, std::string message);
  void fail(std::string message) { fail(token_.offset, std::move(message)); }
  bool has_failed() const { return error_.has_value(); }
  const std::optional<SourceError>& error() const { return error_; }

 private:
  void advance();
  void skip_blanks();
  std::size_t end_of_word(std::size_t at) const;
  std::size_t end_of_number(std::size_t at) const;

  std::string_view name_;
  std::string_view text_;
  std::size_t at_ = 0;
  Token token_;
  std::optional<SourceError> error_;
};

/// An integer, or the bits of a floating-point number.
struct Literal {
  std::uint64_t bits = 0;
  bool is_double = false;
};

/// The value of a number's text; nothing if it isn't one of PTX or doesn't fit into 64 bits.
std::optional<Literal> literal(std::string_view text);

}  // namespace onceover::gpu::ptx
