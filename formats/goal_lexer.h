// Words, numbers and comments of a GOAL file, with their places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats {

/// Reads a text from its start; nothing is copied. All readers say nothing, and stay where they are, where the text has
/// something else.
class GoalLexer {
 public:
  explicit GoalLexer(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  /// Goes on to the next statement: over blanks, ends of lines and comments. A comment that isn't closed ends there,
  /// and is remembered.
  void skip_to_statement();

  void forget_comment() { comment_ = {}; }

  /// Goes over the next `/* .. */`, if nothing but blanks, ends of lines and other comments stand before it.
  bool skip_to_comment();

  void skip_blanks();

  /// The line that the text is read at, from 1, and where it begins.
  std::size_t line() const { return line_; }
  std::size_t line_begin() const { return line_begin_; }

  /// The inside of the last `/* .. */` before the statement, and where it begins.
  std::string_view comment() const { return comment_; }
  std::size_t comment_at() const { return comment_at_; }
  std::optional<std::size_t> open_comment() const { return open_comment_; }

  /// [a-zA-Z][a-zA-Z0-9_]*, after blanks.
  std::string_view word();
  std::string_view peek_word();

  /// A number of at most 64 bits, after blanks. `too_large` says that there was a larger one.
  std::optional<std::uint64_t> number();
  bool too_large() const { return too_large_; }

  /// -1, after blanks.
  bool minus_one();

  bool take(char c);
  bool take(std::string_view text);  // whatever follows it

  /// The end of a line, or of the text; blanks may stand before it.
  bool end_of_line();

  /// What stands here, for messages: a word, a number, a letter, "the end of the line".
  std::string found() const;

 private:
  bool skip_space();
  void skip_block_comment();
  void go_to(std::size_t at);

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view comment_ = {};
  std::size_t comment_at_ = 0;
  std::optional<std::size_t> open_comment_ = {};
  bool too_large_ = false;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace onceover::formats
