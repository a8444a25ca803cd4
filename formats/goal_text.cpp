#include "formats/goal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace onceover::formats {

namespace {

std::size_t word_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  const auto* end = std::find_if_not(text.begin(), text.end(), is_in_name);
  return static_cast<std::size_t>(end - text.begin());
}

constexpr std::uint64_t most_unit = 255;  // the largest number of cpu and nic
constexpr std::uint64_t most_tag = std::numeric_limits<std::uint32_t>::max() - 1;

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

bool GoalSource::fail(std::size_t at, std::string_view message) {
  if (!error_) error_ = source_error(name_, text_, at, message);
  return false;
}

bool GoalSource::skip_to_statement() {
  lexer_.forget_comment();
  while (lexer_.skip_to_comment())
    if (is_goal_header(lexer_.comment()))
      return fail(lexer_.comment_at(), "this comment must stand before the first rank, once");
  const auto open = lexer_.open_comment();
  return !open || fail(*open, "this comment isn't closed; expected */");
}

bool GoalSource::number(std::string_view what, std::uint64_t most, std::uint64_t& value) {
  lexer_.skip_blanks();
  const std::size_t at = lexer_.at();
  const auto read = lexer_.number();
  if (!read && !lexer_.too_large()) return fail(fmt::format("expected {}, found {}", what, lexer_.found()));
  if (!read || *read > most) return fail(at, fmt::format("expected {}, at most {}", what, most));
  value = *read;
  return true;
}

bool GoalSource::expect_word(std::string_view word, std::string_view where) {
  if (lexer_.peek_word() != word) return fail(fmt::format("expected '{}' {}, found {}", word, where, lexer_.found()));
  lexer_.word();
  return true;
}

bool GoalSource::end_line(std::string_view expected) {
  return lexer_.end_of_line() ||
         fail(fmt::format("expected {}the end of the line, found {}", expected, lexer_.found()));
}

bool GoalSource::read_peer(Rank ranks, bool is_send, Rank& peer) {
  if (lexer_.minus_one()) {
    peer = -1;
    return !is_send || fail("rank -1 is any rank; a send needs one");
  }
  const std::size_t at = lexer_.at();
  std::uint64_t read = 0;
  if (!number("a rank", UINT64_MAX, read)) return false;
  if (read >= static_cast<std::uint64_t>(ranks))
    return fail(at, fmt::format("there is no rank {}; num_ranks is {}", read, ranks));
  peer = static_cast<Rank>(read);
  return true;
}

bool GoalSource::read_tag(bool is_send, std::int64_t& tag) {
  if (lexer_.peek_word() != "tag") return true;
  lexer_.word();
  if (lexer_.minus_one()) {
    tag = -1;
    return !is_send || fail("tag -1 is any tag; a send needs one");
  }
  std::uint64_t read = 0;
  if (!number("a tag", most_tag, read)) return false;
  tag = static_cast<std::int64_t>(read);
  return true;
}

bool GoalSource::read_units(bool may_have_nic) {
  std::uint64_t unit = 0;
  for (const std::string_view name : {std::string_view("cpu"), std::string_view("nic")}) {
    if (lexer_.peek_word() != name || (name == "nic" && !may_have_nic)) continue;
    lexer_.word();
    if (!number(fmt::format("the number of the {}", name), most_unit, unit)) return false;
  }
  return true;
}

}  // namespace onceover::formats
