// GoalLexer: words, numbers and comments of a GOAL file, with their places.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats {

/// Reads a text from its start, without copying. If the text has something else, a reader returns nothing and stays
/// where it is.
class GoalLexer {
 public:
  explicit GoalLexer(std::string_view text) : text_(text) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

  /// Moves to the next statement, over blanks, ends of lines and comments. It stops at a comment that isn't closed,
  /// which `open_comment` then returns.
  void skip_to_statement();

  void forget_comment() { comment_ = {}; }

  /// Moves behind the next `/* .. */`, if only blanks, ends of lines and other comments come before it.
  bool skip_to_comment();

  void skip_blanks();

  /// The current line, from 1, and where it begins.
  std::size_t line() const { return line_; }
  std::size_t line_begin() const { return line_begin_; }

  /// The inside of the last `/* .. */` before the statement, and its offset.
  std::string_view comment() const { return comment_; }
  std::size_t comment_at() const { return comment_at_; }
  std::optional<std::size_t> open_comment() const { return open_comment_; }

  /// Reads [a-zA-Z][a-zA-Z0-9_]*, after blanks.
  std::string_view word();
  std::string_view peek_word();

  /// Reads a number of at most 64 bits, after blanks. `too_large` says whether it was larger.
  std::optional<std::uint64_t> number();
  bool too_large() const { return too_large_; }

  /// Reads -1, after blanks.
  bool minus_one();

  bool take(char c);
  bool take(std::string_view text);  // whatever follows it

  /// Moves to the end of the line or of the text, over blanks; false if anything else comes first.
  bool end_of_line();

  /// What comes next, for messages: a word, a number, a letter, "the end of the line".
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
