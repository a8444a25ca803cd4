// One pass reads the blocks of the ranks, one after another, straight into the program. Labels are local and come
// before their uses, so the labels of one rank are the only names to remember.
//
// GOAL doesn't say which send matches which receive. While the text is read, all messages with one source, destination
// and tag share a connection. After the last block, goal_matching.h gives each message its own, cuts runs of chunks
// alike at both ends, and assigns the operations to threads.
//
// Example: "a: send 8b to 1", "b: send 8b to 1" and "b requires a" in rank 0 are two operations, one dependency and one
// connection. Matching then moves b to a connection of its own.
//
// Every round consumes some text or ends with an error. O(text log connections), and the cost of matching.

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "base/sentences.h"
#include "base/stop.h"
#include "formats/goal_file.h"
#include "formats/goal_text.h"

namespace onceover::formats {

namespace {

/// A label for a message; only the beginning of a long one.
std::string_view short_label(std::string_view label) {
  return label.substr(0, 64);
}

constexpr std::size_t most_operations = std::size_t{1} << 23;
constexpr std::size_t most_dependencies = std::size_t{1} << 25;
constexpr std::int64_t most_chunks_of_ranks = std::int64_t{1} << 25;  // in the memory of all ranks

constexpr std::array<std::string_view, 3> keywords{"send", "recv", "calc"};

bool is_operation(std::string_view word) {
  return word == "send" || word == "recv" || word == "calc";
}

bool is_foreign(std::string_view word) {
  return word == "put" || word == "append";
}

std::string foreign_text(std::string_view word) {
  return fmt::format(
      "'{}' is of LogGOPSim2's dialect, for programs on network cards; only LogGOPSim's GOAL is read, "
      "which has send, recv and calc",
      word);
}

class GoalReader : private GoalSource {
 public:
  using GoalSource::GoalSource;

  tl::expected<GoalFile, SourceError> read() {
    if (!read_file()) return tl::unexpected(take_error());
    const MessageOrder order = match_in_order(program_);
    std::vector<OperationId> marked = std::move(file_.wildcards);
    if (order.ambiguity) marked.insert(marked.end(), {order.ambiguity->first, order.ambiguity->second});
    align_runs(program_, marked);
    assign_to_chains(program_, marked);
    if (order.ambiguity) {
      file_.ambiguity = Ambiguity{marked[marked.size() - 2], marked.back()};
      marked.resize(marked.size() - 2);
    }
    file_.wildcards = std::move(marked);
    file_.is_too_large = order.is_too_large;
    program_.guarantees.fifo = has_large_message() ? std::optional<std::uint32_t>(0) : std::nullopt;
    return std::move(file_);
  }

 private:
  bool has_large_message() const {
    return std::any_of(program_.operations.begin(), program_.operations.end(),
                       [](const Operation& o) { return sends(o.instruction) && o.bytes > goal_eager_bytes; });
  }

  // All readers return false after an error.
  bool read_file();
  bool read_size();
  bool find_header();
  bool read_rank(Rank rank);
  bool read_rank_number(Rank rank);
  bool read_statement();
  bool read_labelled(std::string_view label, std::size_t at);
  bool read_operation(std::string_view keyword, std::size_t at);
  bool read_message(Operation& operation, bool is_send);
  bool read_data(const Operation& operation, std::size_t at);
  bool read_order(std::string_view after, std::size_t at, bool on_start);
  bool read_sizes();
  bool accept(const std::optional<CommentFault>& fault) { return accept(fault, lexer_.comment_at()); }
  bool accept(const std::optional<CommentFault>& fault, std::size_t comment_at) {
    return !fault || fail(comment_at + fault->at, fault->why);
  }

  ConnectionId connection(Rank src, Rank dst, std::int64_t tag);

  GoalFile file_;
  Program& program_ = file_.program;
  std::map<std::tuple<Rank, Rank, std::int64_t>, ConnectionId> connections_;

  std::optional<std::string_view> header_;  // the comment that says what the program is for
  std::size_t header_at_ = 0;
  std::int64_t chunks_ = 0;  // in the memory of the ranks so far

  // Of the current rank.
  struct Parts {
    OperationId first;
    OperationId last;
  };
  Rank rank_ = 0;
  std::unordered_map<std::string_view, Parts> labels_;
  Parts operation_ = {};          // the last one read
  std::vector<Operation> parts_;  // of it
};

bool GoalReader::read_file() {
  if (!read_size()) return false;
  for (Rank r = 0; r < program_.ranks; ++r)
    if (!read_rank(r)) return false;
  if (!skip_to_statement()) return false;
  return lexer_.at_end() || fail(fmt::format("expected nothing after the block of rank {}, the last; found {}",
                                             program_.ranks - 1, lexer_.found()));
}

/// Skips comments; one of them may be the header.
bool GoalReader::find_header() {
  while (lexer_.skip_to_comment()) {
    if (!is_goal_header(lexer_.comment())) continue;
    if (header_) return fail(lexer_.comment_at(), "a second comment that says what the program is for");
    header_ = lexer_.comment();
    header_at_ = lexer_.comment_at();
  }
  return skip_to_statement();
}

bool GoalReader::read_size() {
  if (lexer_.take("\xEF\xBB\xBF")) return fail(0, "a byte order mark; txt2bin knows none, GOAL is plain ASCII");
  if (!find_header()) return false;
  if (!lexer_.take("num_ranks")) return fail(fmt::format("expected 'num_ranks' first, found {}", lexer_.found()));
  std::uint64_t ranks = 0;
  if (!number("the number of ranks", max_ranks, ranks)) return false;
  if (ranks == 0) return fail("expected at least one rank");
  program_.ranks = static_cast<Rank>(ranks);
  program_.has_data = false;
  program_.threads_are_ordered = false;
  return find_header() && (!header_ || accept(read_goal_header(*header_, program_), header_at_));
}

bool GoalReader::read_rank(Rank rank) {
  if (!skip_to_statement()) return false;
  if (lexer_.at_end()) return fail(fmt::format("expected the block of rank {}, of {} ranks", rank, program_.ranks));
  if (!expect_word("rank", "to begin a block") || !read_rank_number(rank)) return false;
  if (!lexer_.take('{')) return fail(fmt::format("expected '{{', found {}", lexer_.found()));
  rank_ = rank;
  labels_.clear();
  program_.buffers.emplace_back();
  if (program_.has_data && !read_sizes()) return false;
  if (!skip_to_statement()) return false;
  while (!lexer_.take('}')) {
    stop_point();
    if (!read_statement() || !skip_to_statement()) return false;
  }
  return true;
}

bool GoalReader::read_rank_number(Rank rank) {
  lexer_.skip_blanks();
  const std::size_t at = lexer_.at();
  std::uint64_t found = 0;
  if (!number("the rank's number", UINT64_MAX, found)) return false;
  if (found >= static_cast<std::uint64_t>(program_.ranks))
    return fail(at, fmt::format("there is no rank {}; num_ranks is {}", found, program_.ranks));
  return found == static_cast<std::uint64_t>(rank) ||
         fail(at, fmt::format("expected rank {}, found rank {}; every rank has one block, in order", rank, found));
}

/// Reads the comment with the sizes of the rank's memory.
bool GoalReader::read_sizes() {
  if (!lexer_.skip_to_comment() || is_goal_data(lexer_.comment()))
    return fail("expected a comment with the sizes of the rank's memory, /* input=4 output=4 scratch=0 */");
  Buffers& sizes = program_.buffers.back();
  if (!accept(read_goal_buffers(lexer_.comment(), program_, sizes))) return false;
  chunks_ += std::int64_t{sizes.input} + sizes.output + sizes.scratch;
  return chunks_ <= most_chunks_of_ranks ||
         fail(lexer_.comment_at(),
              fmt::format("the ranks up to here have more than {} chunks of memory", most_chunks_of_ranks));
}

bool GoalReader::read_statement() {
  if (lexer_.at_end()) return fail(fmt::format("expected '}}' to end the block of rank {}", rank_));
  const std::size_t at = lexer_.at();
  const std::string_view word = lexer_.word();
  if (word.empty()) return fail(fmt::format("expected send, recv, calc, a label or '}}', found {}", lexer_.found()));
  if (word == "rank" || word == "num_ranks")
    return fail(at, fmt::format("expected '}}' to end the block of rank {}", rank_));
  if (is_operation(word)) return read_operation(word, at);
  return read_labelled(word, at);
}

bool GoalReader::read_labelled(std::string_view label, std::size_t at) {
  if (lexer_.take(':')) {
    lexer_.skip_blanks();
    const std::size_t operation_at = lexer_.at();
    const std::string_view keyword = lexer_.word();
    if (!is_operation(keyword))
      return fail(operation_at, is_foreign(keyword) ? foreign_text(keyword)
                                                    : "expected send, recv or calc" + suggestion(keyword, keywords));
    if (!read_operation(keyword, operation_at)) return false;
    return labels_.emplace(label, operation_).second ||
           fail(at, fmt::format("label '{}' is defined twice in rank {}; a simulator would take the first",
                                short_label(label), rank_));
  }
  if (is_foreign(label)) return fail(at, foreign_text(label));
  const std::string_view relation = lexer_.word();
  if (relation != "requires" && relation != "irequires")
    return fail(at, fmt::format("expected an operation, '{0}: ..', '{0} requires ..' or '{0} irequires ..'{1}",
                                short_label(label), suggestion(label, keywords)));
  return read_order(label, at, relation == "irequires");
}

bool GoalReader::read_order(std::string_view after, std::size_t at, bool on_start) {
  lexer_.skip_blanks();
  const std::size_t before_at = lexer_.at();
  const std::string_view before = lexer_.word();
  if (before.empty()) return fail(fmt::format("expected a label, found {}", lexer_.found()));
  const auto waiting = labels_.find(after);
  const auto awaited = labels_.find(before);
  const bool is_known = waiting != labels_.end();
  if (!is_known || awaited == labels_.end())
    return fail(is_known ? before_at : at, fmt::format("no label '{}' above in rank {}; labels are local to their rank",
                                                       is_known ? before : after, rank_));
  if (!end_line("")) return false;
  if (program_.dependencies.size() >= most_dependencies)
    return fail(at, fmt::format("more than {} dependencies", most_dependencies));
  const Parts& awaited_parts = awaited->second;
  program_.dependencies.push_back(
      {on_start ? awaited_parts.first : awaited_parts.last, waiting->second.first, on_start});
  return true;
}

bool GoalReader::read_operation(std::string_view keyword, std::size_t at) {
  Operation operation{.rank = rank_,
                      .line = static_cast<std::uint32_t>(lexer_.line()),
                      .column = static_cast<std::uint32_t>(at - lexer_.line_begin() + 1)};
  if (keyword == "calc") {
    if (!number("a time in nanoseconds", UINT64_MAX, operation.bytes) || !read_units(false) || !end_line("'cpu' or "))
      return false;
  } else if (!read_message(operation, keyword == "send")) {
    return false;
  }
  return read_data(operation, at);
}

bool GoalReader::read_message(Operation& operation, bool is_send) {
  operation.instruction = is_send ? Instruction::send : Instruction::receive;
  Rank peer = 0;
  std::int64_t tag = 0;
  if (!number("a number of bytes", UINT64_MAX, operation.bytes) || !expect_word("b", "after the number of bytes") ||
      !expect_word(is_send ? "to" : "from", "after the bytes") || !read_peer(program_.ranks, is_send, peer) ||
      !read_tag(is_send, tag) || !read_units(true) || !end_line("'tag', 'cpu', 'nic', in this order, or "))
    return false;
  if (peer < 0 || tag < 0)
    file_.wildcards.push_back(static_cast<OperationId>(program_.operations.size()));
  else if (is_send)
    operation.to = connection(rank_, peer, tag);
  else
    operation.from = connection(peer, rank_, tag);
  return true;
}

/// Adds the operation, one for each run of chunks that its comment names.
bool GoalReader::read_data(const Operation& operation, std::size_t at) {
  std::vector<Operation>& parts = parts_;
  parts.assign(1, operation);
  if (program_.has_data && is_goal_data(lexer_.comment())) {
    if (!accept(read_goal_data(lexer_.comment(), program_.buffers.back(), parts))) return false;
  } else if (is_goal_data(lexer_.comment())) {
    return fail(lexer_.comment_at(),
                "this comment tells data, but no comment before the first rank says what the program is for, "
                "/* onceover 1 collective=.. chunks=.. */");
  } else if (program_.has_data && operation.instruction != Instruction::wait) {
    return fail(at,
                "expected a comment before this that says what it moves, /* blocks=o0-1 .. */, since the file begins "
                "with /* onceover .. */");
  }
  if (program_.operations.size() + parts.size() > most_operations)
    return fail(at, fmt::format("more than {} operations", most_operations));
  operation_.first = static_cast<OperationId>(program_.operations.size());
  operation_.last = operation_.first + static_cast<OperationId>(parts.size()) - 1;
  for (Operation& part : parts) {
    const auto id = static_cast<OperationId>(program_.operations.size());
    if (part.is_part) program_.dependencies.push_back({id - 1, id});
    program_.operations.push_back(part);
  }
  return true;
}

ConnectionId GoalReader::connection(Rank src, Rank dst, std::int64_t tag) {
  const auto [known, is_new] =
      connections_.try_emplace({src, dst, tag}, static_cast<ConnectionId>(program_.connections.size()));
  if (is_new) program_.connections.push_back({src, dst, tag});
  return known->second;
}

}  // namespace

tl::expected<GoalFile, SourceError> read_goal(std::string_view name, std::string_view text) {
  return GoalReader(name, text).read();
}

bool looks_like_goal(std::string_view text) {
  GoalLexer lexer(text);
  lexer.take("\xEF\xBB\xBF");
  lexer.skip_to_statement();
  return lexer.open_comment() || lexer.take("num_ranks");
}

}  // namespace onceover::formats
