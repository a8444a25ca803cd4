// The small things that GOAL statements are made of: numbers, peers, tags, ends of lines, or what is wrong with them.
#pragma once

#include <optional>
#include <string_view>

#include "base/source_text.h"
#include "formats/goal_lexer.h"
#include "schedules/schedule.h"

namespace onceover::formats {

/// A GOAL text that is read from its start up to its first error. What a text must have next is read by one call, which
/// returns false after an error.
class GoalSource {
 public:
  GoalSource(std::string_view name, std::string_view text) : lexer_(text), name_(name), text_(text) {}

 protected:
  /// Keeps the first error. Returns false.
  bool fail(std::size_t at, std::string_view message);
  bool fail(std::string_view message) { return fail(lexer_.at(), message); }

  SourceError take_error() { return *std::move(error_); }

  /// Goes over comments, of which none may be the header.
  bool skip_to_statement();

  bool number(std::string_view what, std::uint64_t most, std::uint64_t& value);
  bool expect_word(std::string_view word, std::string_view where);
  bool end_line(std::string_view expected);

  /// The rank at the other end of a message, -1 for any, and the tag, -1 for any.
  bool read_peer(Rank ranks, bool is_send, Rank& peer);
  bool read_tag(bool is_send, std::int64_t& tag);

  /// `cpu` and `nic`, whose numbers nobody uses.
  bool read_units(bool may_have_nic);

  GoalLexer lexer_;

 private:
  std::string_view name_;
  std::string_view text_;
  std::optional<SourceError> error_;
};

}  // namespace onceover::formats
