// Reads GOAL: the block of each rank, its operations by lines, and the comments that say what data they move.

#include <map>
#include <tuple>

#include "check/cursor.h"
#include "check/program.h"

namespace check {

namespace {

constexpr std::uint64_t most_goal_chunks = std::uint64_t{1} << 24;

/// The words of a comment, `name=value`.
class Settings {
 public:
  Settings(const Cursor& at, std::string_view words) : at_(at) {
    constexpr std::string_view blanks = " \t\r\n";
    for (std::size_t begin = words.find_first_not_of(blanks); begin != std::string_view::npos;) {
      const std::size_t end = std::min(words.find_first_of(blanks, begin), words.size());
      const std::string_view word = words.substr(begin, end - begin);
      const std::size_t equals = std::min(word.find('='), word.size());
      const std::string_view value = equals < word.size() ? word.substr(equals + 1) : "";
      if (!values_.emplace(word.substr(0, equals), value).second) at.malformed("a word stands twice in the comment");
      begin = words.find_first_not_of(blanks, end);
    }
  }

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string_view text(std::string_view name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) at_.malformed("the comment before this lacks " + std::string(name));
    return found->second;
  }
  std::uint64_t number(std::string_view name, std::uint64_t least, std::uint64_t most) const {
    return whole(text(name), least, most);
  }

  /// Runs of chunks, such as o2-3,o5.
  std::vector<Chunks> runs(std::string_view name) const {
    std::vector<Chunks> runs;
    for (std::string_view rest = text(name); !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      const std::size_t letter = std::string_view("ios").find(word.substr(0, 1));
      if (word.size() < 2 || letter == std::string_view::npos) at_.malformed("the comment before this names no chunks");
      const std::size_t dash = std::min(word.find('-'), word.size());
      const std::uint64_t first = whole(word.substr(1, dash - 1), 0, most_goal_chunks);
      const std::uint64_t last = dash < word.size() ? whole(word.substr(dash + 1), first, most_goal_chunks) : first;
      runs.push_back({static_cast<ChunksOf>(letter), first, last - first + 1});
    }
    return runs;
  }

 private:
  std::uint64_t whole(std::string_view word, std::uint64_t least, std::uint64_t most) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || value < least || value > most)
      at_.malformed("a number is wrong in the comment before this");
    return value;
  }

  Cursor at_;
  std::map<std::string_view, std::string_view> values_;
};

class GoalText {
 public:
  explicit GoalText(const Text& text) : at_(text) {}

  ProgramFile read() {
    file_.is_goal = true;
    file_.has_data = false;
    file_.places = {false};
    std::string_view header = find_header();
    at_.expect("num_ranks");
    blanks();
    file_.ranks.resize(at_.number(1, std::uint64_t{1} << 20));
    if (const std::string_view later = find_header(); header.empty()) header = later;
    if (!header.empty()) read_header(header);
    for (std::size_t r = 0; r < file_.ranks.size(); ++r) read_rank(r);
    next_statement();
    if (!at_.rest().empty()) at_.malformed("expected the end of the file");
    file_.connections = connections_.size();
    return std::move(file_);
  }

 private:
  void blanks() { at_.pass_any_of(" \t"); }

  /// Passes blanks, ends of lines and comments. Calls with_comment(inside) for each in /* */.
  template <class WithComment>
  void pass_comments(WithComment&& with_comment) {
    for (at_.pass_any_of(" \t\r\n");; at_.pass_any_of(" \t\r\n")) {
      if (at_.skip("//")) {
        at_.pass(std::min(at_.rest().find('\n'), at_.rest().size()));
      } else if (at_.skip("/*")) {
        const std::size_t length = at_.rest().find("*/");
        if (length == std::string_view::npos) at_.malformed("this comment has no end");
        with_comment(at_.rest().substr(0, length));
        at_.pass(length + 2);
      } else {
        return;
      }
    }
  }

  static std::string_view first_word(std::string_view comment) {
    comment.remove_prefix(std::min(comment.find_first_not_of(" \t\r\n"), comment.size()));
    return comment.substr(0, comment.find_first_of(" \t\r\n"));
  }

  std::string_view find_header() {
    std::string_view header;
    pass_comments([&](std::string_view comment) {
      if (first_word(comment) == "onceover") header = comment;
    });
    return header;
  }

  /// Moves to the next statement, and keeps the last comment before it.
  void next_statement() {
    comment_ = {};
    pass_comments([&](std::string_view comment) { comment_ = comment; });
  }

  void read_header(std::string_view comment) {
    const Settings settings(at_, comment);
    if (!settings.has("onceover") || !settings.has("1")) at_.malformed("expected the comment onceover 1");
    file_.has_data = true;
    file_.collective = settings.text("collective");
    file_.chunks = settings.number("chunks", 1, most_goal_chunks);
    file_.root = settings.number("root", 0, file_.ranks.size() - 1);
    file_.places = {settings.number("in-place", 0, 1) == 1};
    file_.size_buffers(at_);
  }

  std::string_view word() {
    blanks();
    const std::string_view rest = at_.rest();
    const std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t length = std::min(rest.find_first_not_of(letters), rest.size());
    if (length == 0 || (rest[0] >= '0' && rest[0] <= '9') || rest[0] == '_') at_.malformed("expected a word");
    at_.pass(length);
    return rest.substr(0, length);
  }

  void expect_word(std::string_view wanted) {
    if (word() != wanted) at_.malformed("expected '" + std::string(wanted) + "' before this");
  }

  std::uint64_t number(std::uint64_t least, std::uint64_t most) {
    blanks();
    return at_.number(least, most);
  }

  void end_line() {
    blanks();
    at_.skip("\r");
    if (!at_.rest().empty()) at_.expect("\n");
  }

  void read_rank(std::size_t rank) {
    next_statement();
    expect_word("rank");
    number(rank, rank);
    blanks();
    at_.expect("{");
    RankSteps& own = file_.ranks[rank];
    own.threads.resize(1);
    labels_.clear();
    std::string_view sizes;
    comment_ = {};
    pass_comments([&](std::string_view comment) { (sizes.empty() && file_.has_data ? sizes : comment_) = comment; });
    if (file_.has_data) read_sizes(sizes, own);
    for (; !at_.skip("}"); next_statement()) read_statement(rank, own.threads[0]);
  }

  /// From the first comment of a rank.
  void read_sizes(std::string_view comment, RankSteps& own) {
    const Settings settings(at_, comment);
    settings.number("input", own.chunks[0], own.chunks[0]);
    settings.number("output", own.chunks[1], own.chunks[1]);
    own.chunks[2] = settings.number("scratch", 0, most_goal_chunks);
  }

  void read_statement(std::size_t rank, std::vector<Step>& steps) {
    std::string_view first = word();
    blanks();
    const bool is_label = at_.skip(":");
    const std::string_view second = is_label ? word() : first;
    if (second == "send" || second == "recv" || second == "calc") {
      if (is_label && !labels_.emplace(first, steps.size()).second) at_.malformed("this label is defined twice");
      return read_operation(rank, second, steps);
    }
    if (is_label) at_.malformed("expected send, recv or calc before this");
    const std::string_view relation = word();
    if (relation != "requires" && relation != "irequires") at_.malformed("expected requires or irequires before this");
    const auto waiting = labels_.find(first), awaited = labels_.find(word());
    if (waiting == labels_.end() || awaited == labels_.end()) at_.malformed("there is no such label above");
    steps[waiting->second].waits.push_back({0, awaited->second, relation == "irequires"});
    end_line();
  }

  void read_operation(std::size_t rank, std::string_view kind, std::vector<Step>& steps) {
    Step step{.bytes = number(0, UINT64_MAX)};
    if (kind != "calc") {
      expect_word("b");
      expect_word(kind == "send" ? "to" : "from");
      blanks();
      if (at_.rest().starts_with("-")) at_.unproven("not covered: a receive from any rank");
      const std::size_t peer = number(0, file_.ranks.size() - 1);
      std::uint64_t tag = 0;
      blanks();
      if (at_.skip("tag")) {
        blanks();
        if (at_.rest().starts_with("-")) at_.unproven("not covered: a receive of any tag");
        tag = number(0, UINT32_MAX - 1);
      }
      const auto name = kind == "send" ? std::tuple(rank, peer, tag) : std::tuple(peer, rank, tag);
      (kind == "send" ? step.to : step.from) = connections_.emplace(name, connections_.size()).first->second;
    }
    blanks();
    if (at_.skip("cpu")) number(0, 255);
    blanks();
    if (kind != "calc" && at_.skip("nic")) number(0, 255);
    read_data(kind, step);
    end_line();
    steps.push_back(std::move(step));
  }

  void read_data(std::string_view kind, Step& step) {
    if (!first_word(comment_).starts_with("blocks=")) {
      if (file_.has_data && kind != "calc") at_.malformed("expected a comment before this that says what it moves");
      return;
    }
    if (!file_.has_data) at_.malformed("nothing before the first rank says what the data is for");
    const Settings settings(at_, comment_);
    const std::vector<Chunks> here = settings.runs("blocks");
    const bool is_local = kind == "calc";
    const std::vector<Chunks> from = is_local ? settings.runs("from") : here;
    const std::string_view op = kind == "send" ? "copy" : settings.text("op");
    if (op != "sum" && op != "copy") at_.malformed("expected op=sum or op=copy in the comment before this");
    step.adds = op == "sum";
    if (from.size() != here.size()) at_.malformed("expected as many runs in from= as in blocks=");
    for (std::size_t k = 0; k < here.size(); ++k) {
      if (from[k].count != here[k].count) at_.malformed("expected runs of equal lengths in from= and blocks=");
      Part part;
      if (kind == "send" || is_local || step.adds) part.source = from[k];
      if (kind != "send") part.target = here[k];
      step.parts.push_back(part);
    }
  }

  Cursor at_;
  ProgramFile file_;
  std::string_view comment_;
  std::map<std::string_view, std::size_t> labels_;  // of the current rank
  std::map<std::tuple<std::size_t, std::size_t, std::uint64_t>, std::size_t> connections_;
};

}  // namespace

ProgramFile read_goal(const Text& text) {
  return GoalText(text).read();
}

}  // namespace check
