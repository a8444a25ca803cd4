// GoalSource: the parts of GOAL statements, such as numbers, peers, tags and ends of lines, with their errors.
#pragma once

#include <optional>
#include <string_view>

#include "base/source_text.h"
#include "formats/goal_lexer.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// A GOAL text that is read from its start up to its first error. Each call reads what the text must have next, and
/// returns false after an error.
class GoalSource {
 public:
  GoalSource(std::string_view name, std::string_view text) : lexer_(text), name_(name), text_(text) {}

 protected:
  /// Keeps the first error. Returns false.
  bool fail(std::size_t at, std::string_view message);
  bool fail(std::string_view message) { return fail(lexer_.at(), message); }

  SourceError take_error() { return *std::move(error_); }

  /// Skips comments, none of which may be the header.
  bool skip_to_statement();

  bool number(std::string_view what, std::uint64_t most, std::uint64_t& value);
  bool expect_word(std::string_view word, std::string_view where);
  bool end_line(std::string_view expected);

  /// Reads the rank at the other end of a message, and its tag; -1 stands for any.
  bool read_peer(Rank ranks, bool is_send, Rank& peer);
  bool read_tag(bool is_send, std::int64_t& tag);

  /// Reads `cpu` and `nic`, whose numbers nothing uses.
  bool read_units(bool may_have_nic);

  GoalLexer lexer_;

 private:
  std::string_view name_;
  std::string_view text_;
  std::optional<SourceError> error_;
};

}  // namespace onceover::formats
