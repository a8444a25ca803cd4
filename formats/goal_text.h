// GOAL texts as their reader takes them: words (GoalLexer), the parts of statements with their errors (GoalSource), and
// the comments that describe data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"
#include "base/source_text.h"
#include "formats/program.h"
#include "schedules/schedule.h"

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

/// What is wrong in a comment, and at which offset.
struct CommentFault {
  std::size_t at;
  std::string why;
};

/// Is this a comment such as `onceover 1 collective=allreduce chunks=4 root=0 in-place=1`, of any version, with its
/// first word in any case?
bool is_goal_header(std::string_view comment);

/// Fills in the program from such a comment.
std::optional<CommentFault> read_goal_header(std::string_view comment, Program& program);

/// Reads `input=4 output=4 scratch=2`. Input and output must have the sizes of the program's collective, so that
/// everything that it promises of each chunk is judged.
std::optional<CommentFault> read_goal_buffers(std::string_view comment, const Program& program, Buffers& sizes);

/// Does the comment describe the data of an operation?
bool is_goal_data(std::string_view comment);

/// Replaces `parts`, which holds a send, a receive or a wait (a `calc`), with one operation for each run of chunks that
/// the comment names, inside buffers of these sizes: `blocks=o2-3,o5 op=sum from=s0-1,s2`.
std::optional<CommentFault> read_goal_data(std::string_view comment, const Buffers& sizes,
                                           std::vector<Operation>& parts);

}  // namespace onceover::formats
