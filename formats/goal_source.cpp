#include "formats/goal_source.h"

#include <fmt/format.h>

#include <limits>

#include "formats/goal_data.h"

namespace onceover::formats {

namespace {

constexpr std::uint64_t most_unit = 255;  // the largest number of cpu and nic
constexpr std::uint64_t most_tag = std::numeric_limits<std::uint32_t>::max() - 1;

}  // namespace

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
