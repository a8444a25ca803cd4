// A comment consists of words of the form `name=value`. `Settings` splits them; each reader says which names it knows,
// and which numbers they may have.
//
// An operation holds one run of chunks, so a comment that names several runs makes several operations. Example:
// `blocks=o0-1,o4 op=sum` before a recv makes two: o0-1 := message + o0-1, and o4 := message + o4. The second is marked
// `is_part`: it takes the next chunks of the same message.
//
// Comments may be hostile. Each number has a range, each run lies inside its buffer, and a run takes at least three
// letters, so a comment makes at most a third as many operations as it has letters. O(letters) time and memory.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>

#include "base/text.h"
#include "formats/goal_text.h"

namespace onceover::formats {

namespace {

/// The most chunks in a buffer: as many as a schedule may have blocks.
constexpr std::int32_t most_chunks = max_blocks;

/// `name=value`, and its offset in the comment.
struct Setting {
  std::string_view name;
  std::string_view value;
  std::size_t at;
};

/// Returns the words of a comment, one after another.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    begin_ = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) ++at_;
    return text_.substr(begin_, at_ - begin_);
  }
  std::size_t begin() const { return begin_; }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

std::string shown(std::string_view text) {
  constexpr std::size_t longest = 32;
  return std::string(text.substr(0, longest));
}

/// The settings of a comment, in the order of `names`. Each may occur once at most; a missing one has an empty name.
struct Settings {
  static constexpr std::size_t most = 4;
  std::array<Setting, most> values = {};
  std::optional<CommentFault> fault = {};

  Settings(Words& words, std::initializer_list<std::string_view> names) {
    assert(names.size() <= most);
    for (std::string_view word = words.next(); !word.empty() && !fault; word = words.next())
      take(word, words.begin(), names);
  }

  bool has(std::size_t k) const { return !values[k].name.empty(); }

 private:
  void take(std::string_view word, std::size_t at, std::initializer_list<std::string_view> names) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const auto* known = std::find(names.begin(), names.end(), word.substr(0, equals));
    if (known == names.end() || equals == word.size()) {
      fault = {at, fmt::format("expected one of {}, found '{}'", fmt::join(names, "=.., "), shown(word))};
      return;
    }
    Setting& setting = values[static_cast<std::size_t>(known - names.begin())];
    if (!setting.name.empty()) {
      fault = {at, fmt::format("'{}' stands twice", *known)};
      return;
    }
    setting = {*known, word.substr(equals + 1), at + equals + 1};
  }
};

std::optional<std::int32_t> number(std::string_view text, std::int32_t least, std::int32_t most) {
  return parse_whole<std::int32_t>(text, least, most);
}

/// Reads a required setting, a number in a range.
std::optional<CommentFault> read_number(const Settings& settings, std::size_t k, std::string_view name,
                                        std::int32_t least, std::int32_t most, std::int32_t& value) {
  if (!settings.has(k)) return CommentFault{0, fmt::format("expected {}=.. in the comment", name)};
  const Setting& setting = settings.values[k];
  const auto read = number(setting.value, least, most);
  auto range = [&] {
    return least == most ? std::to_string(most) : fmt::format("a number from {} to {}", least, most);
  };
  if (!read)
    return CommentFault{setting.at, fmt::format("{}: expected {}, found '{}'", name, range(), shown(setting.value))};
  value = *read;
  return std::nullopt;
}

std::optional<Buffer> buffer_of(char letter) {
  for (const Buffer buffer : {Buffer::input, Buffer::output, Buffer::scratch})
    if (name(buffer).front() == letter) return buffer;
  return std::nullopt;
}

std::int32_t size_of(const Buffers& sizes, Buffer buffer) {
  return buffer == Buffer::input ? sizes.input : buffer == Buffer::output ? sizes.output : sizes.scratch;
}

/// Parses `o2-3` or `o5`.
std::optional<ChunkRange> slots_of(std::string_view text, const Buffers& sizes) {
  const auto buffer = text.empty() ? std::nullopt : buffer_of(text.front());
  if (!buffer) return std::nullopt;
  const std::string_view range = text.substr(1);
  const std::size_t dash = range.find('-');
  const std::int32_t most = size_of(sizes, *buffer) - 1;
  const auto first = number(range.substr(0, dash), 0, most);
  const auto last = dash == std::string_view::npos ? first : number(range.substr(dash + 1), 0, most);
  if (!first || !last || *last < *first) return std::nullopt;
  return ChunkRange{*buffer, *first, *last - *first + 1};
}

std::optional<CommentFault> read_runs(const Setting& setting, const Buffers& sizes, std::vector<ChunkRange>& runs) {
  for (const std::string_view word : split(setting.value, ',')) {
    const auto range = slots_of(word, sizes);
    if (!range)
      return CommentFault{
          setting.at + static_cast<std::size_t>(word.data() - setting.value.data()),
          fmt::format("expected chunks like o2-3 of the rank's input={} output={} scratch={}, found '{}'", sizes.input,
                      sizes.output, sizes.scratch, shown(word))};
    runs.push_back(*range);
  }
  return std::nullopt;
}

/// Checks that the comment fits what the operation does.
std::optional<CommentFault> check_local(const Settings& settings, Operation& operation) {
  const bool has_op = settings.has(1);
  const bool has_from = settings.has(2);
  const bool is_local = operation.instruction == Instruction::wait;
  if (operation.instruction == Instruction::send && (has_op || has_from))
    return CommentFault{settings.values[has_op ? 1 : 2].at, "a send has blocks=.. only"};
  if (has_from != is_local)
    return CommentFault{0, is_local ? "a calc that changes data needs from=.." : "only a calc has from=.."};
  if (operation.instruction == Instruction::send) return std::nullopt;
  if (!has_op) return CommentFault{0, "expected op=sum or op=copy in the comment"};
  const std::string_view op = settings.values[1].value;
  if (op != "sum" && op != "copy")
    return CommentFault{settings.values[1].at, fmt::format("op: expected sum or copy, found '{}'", shown(op))};
  const bool is_sum = op == "sum";
  operation.instruction = is_local ? (is_sum ? Instruction::reduce : Instruction::copy)
                                   : (is_sum ? Instruction::receive_reduce : Instruction::receive);
  return std::nullopt;
}

}  // namespace

bool is_goal_header(std::string_view comment) {
  // The word has 8 letters. A ninth distinguishes longer words, so no more are copied.
  std::string word(Words(comment).next().substr(0, 9));
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word == "onceover";
}

std::optional<CommentFault> read_goal_header(std::string_view comment, Program& program) {
  Words words(comment);
  words.next();
  if (const auto version = words.next(); version != "1")
    return CommentFault{words.begin(), fmt::format("expected version 1, found '{}'", shown(version))};
  const Settings settings(words, {"collective", "chunks", "root", "in-place"});
  if (settings.fault) return settings.fault;
  if (!settings.has(0)) return CommentFault{0, "expected collective=.. in the comment"};
  const auto collective = collective_named(settings.values[0].value);
  if (!collective)
    return CommentFault{settings.values[0].at, fmt::format("no collective '{}'; there are {}",
                                                           shown(settings.values[0].value), collective_names())};
  program.collective = *collective;
  std::int32_t in_place = 0;
  if (is_carried(program.collective))
    return CommentFault{settings.values[0].at,
                        "programs of allreduce, reduce-scatter, allgather, broadcast and reduce tell "
                        "their data"};
  if (auto fault = read_number(settings, 1, "chunks", 1, most_chunks, program.chunks)) return fault;
  const bool has_shares =
      program.collective == Collective::allgather || program.collective == Collective::reduce_scatter;
  if (has_shares && program.chunks % program.ranks != 0)
    return CommentFault{settings.values[1].at,
                        fmt::format("chunks: expected as many for each of {} ranks", program.ranks)};
  if (auto fault = read_number(settings, 2, "root", 0, program.ranks - 1, program.root)) return fault;
  if (auto fault = read_number(settings, 3, "in-place", 0, 1, in_place)) return fault;
  program.in_place = in_place == 1;
  program.has_data = true;
  return std::nullopt;
}

std::optional<CommentFault> read_goal_buffers(std::string_view comment, const Program& program, Buffers& sizes) {
  Words words(comment);
  const Settings settings(words, {"input", "output", "scratch"});
  if (settings.fault) return settings.fault;
  const std::int32_t share = program.chunks / program.ranks;
  const std::int32_t input = program.collective == Collective::allgather ? share : program.chunks;
  const std::int32_t output = program.collective == Collective::reduce_scatter ? share : program.chunks;
  if (auto fault = read_number(settings, 0, "input", input, input, sizes.input)) return fault;
  if (auto fault = read_number(settings, 1, "output", output, output, sizes.output)) return fault;
  return read_number(settings, 2, "scratch", 0, most_chunks, sizes.scratch);
}

bool is_goal_data(std::string_view comment) {
  return Words(comment).next().substr(0, 7) == "blocks=";
}

std::optional<CommentFault> read_goal_data(std::string_view comment, const Buffers& sizes,
                                           std::vector<Operation>& parts) {
  Words words(comment);
  const Settings settings(words, {"blocks", "op", "from"});
  if (settings.fault) return settings.fault;
  Operation operation = parts.front();
  if (auto fault = check_local(settings, operation)) return fault;
  std::vector<ChunkRange> here;
  std::vector<ChunkRange> from;
  if (auto fault = read_runs(settings.values[0], sizes, here)) return fault;
  if (settings.has(2))
    if (auto fault = read_runs(settings.values[2], sizes, from)) return fault;
  parts.clear();
  for (std::size_t k = 0; k < here.size(); ++k) {
    const bool is_local = settings.has(2);
    if (is_local && (k >= from.size() || from[k].count != here[k].count))
      return CommentFault{settings.values[2].at, "from=.. must have runs of the same lengths as blocks=.."};
    if (operation.instruction == Instruction::send)
      operation.source = here[k];
    else
      operation.target = here[k];
    if (operation.instruction == Instruction::receive_reduce) operation.source = here[k];
    if (is_local) operation.source = from[k];
    operation.is_part = k > 0;
    parts.push_back(operation);
  }
  if (from.size() > here.size())
    return CommentFault{settings.values[2].at, "from=.. must have runs of the same lengths as blocks=.."};
  return std::nullopt;
}

}  // namespace onceover::formats
