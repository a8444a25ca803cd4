#include "formats/goal_lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/letters.h"

namespace onceover::formats {

namespace {

std::size_t word_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  const auto* end = std::find_if_not(text.begin(), text.end(), is_in_name);
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

void GoalLexer::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
}

/// Moves to `at`, and counts the lines on the way.
void GoalLexer::go_to(std::size_t at) {
  for (; at_ < at; ++at_)
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
}

void GoalLexer::skip_block_comment() {
  const std::size_t end = text_.find("*/", at_ + 2);
  if (end == std::string_view::npos) {
    open_comment_ = at_;
    return go_to(text_.size());
  }
  comment_at_ = at_ + 2;
  comment_ = text_.substr(comment_at_, end - comment_at_);
  go_to(end + 2);
}

/// Skips a blank, the end of a line, or a comment to the end of a line; false if there is something else.
bool GoalLexer::skip_space() {
  const std::string_view rest = text_.substr(at_, 2);
  if (rest.empty()) return false;
  if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n' || rest == "\r\n")
    go_to(at_ + 1);
  else if (rest == "//")
    go_to(std::min(text_.find('\n', at_), text_.size()));
  else
    return false;
  return true;
}

void GoalLexer::skip_to_statement() {
  comment_ = {};
  while (skip_space() || text_.substr(at_, 2) == "/*")
    if (text_.substr(at_, 2) == "/*") skip_block_comment();
}

bool GoalLexer::skip_to_comment() {
  while (skip_space()) {
  }
  if (text_.substr(at_, 2) != "/*") return false;
  skip_block_comment();
  return !open_comment_;
}

std::string_view GoalLexer::peek_word() {
  skip_blanks();
  return text_.substr(at_, word_length(text_.substr(at_)));
}

std::string_view GoalLexer::word() {
  const std::string_view word = peek_word();
  at_ += word.size();
  return word;
}

std::optional<std::uint64_t> GoalLexer::number() {
  skip_blanks();
  std::uint64_t value = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  too_large_ = error == std::errc::result_out_of_range;
  if (error != std::errc{}) return std::nullopt;
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

bool GoalLexer::minus_one() {
  skip_blanks();
  if (text_.substr(at_, 2) != "-1" || (at_ + 2 < text_.size() && is_digit(text_[at_ + 2]))) return false;
  at_ += 2;
  return true;
}

bool GoalLexer::take(char c) {
  skip_blanks();
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool GoalLexer::take(std::string_view text) {
  if (text_.substr(at_, text.size()) != text) return false;
  at_ += text.size();
  return true;
}

bool GoalLexer::end_of_line() {
  skip_blanks();
  if (at_end()) return true;
  const std::size_t length = text_.substr(at_, 2) == "\r\n" ? 2 : 1;
  if (text_[at_ + length - 1] != '\n') return false;
  go_to(at_ + length);
  return true;
}

std::string GoalLexer::found() const {
  constexpr std::size_t longest = 32;
  if (at_end()) return "the end of the file";
  if (text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n") return "the end of the line";
  if (static_cast<unsigned char>(text_[at_]) >= 0x80) return "a letter that isn't ASCII";
  const std::string_view rest = text_.substr(at_);
  const auto* end = std::find_if_not(rest.begin(), rest.end(), is_in_name);
  const auto length = std::max<std::size_t>(1, static_cast<std::size_t>(end - rest.begin()));
  return fmt::format("'{}'", rest.substr(0, std::min(length, longest)));
}

}  // namespace onceover::formats
