#include "check/schedule.h"

#include <set>
#include <span>

#include "check/cursor.h"

namespace check {

namespace {

constexpr Collective collectives[] = {
    {"allreduce", Who::everyone, Who::everyone}, {"reduce-scatter", Who::everyone, Who::owner},
    {"allgather", Who::owner, Who::everyone},    {"broadcast", Who::root, Who::everyone},
    {"reduce", Who::everyone, Who::root},        {"scatter", Who::root, Who::owner},
    {"gather", Who::owner, Who::root},           {"alltoall", Who::origin, Who::owner},
};

constexpr std::uint32_t most_ranks = 1 << 24, most_blocks = 1 << 28, most_lanes = 1 << 10;

/// Parses a schedule's JSON. The format is nested to a fixed depth, and so are these functions.
class Reader {
 public:
  /// The numbers of ranks and blocks may come after what they bound, so they are given.
  Reader(const Text& text, std::uint32_t ranks, std::uint32_t blocks) : at_(text), ranks_(ranks), blocks_(blocks) {}

  Schedule read() {
    const Keys seen = object({"format", "version", "collective", "ranks", "blocks", "steps"},
                             [&](std::string_view key) { read_member(key); });
    if (!next().rest().empty()) at_.malformed("expected the end of the file");
    check_header(seen);
    return std::move(s_);
  }

 private:
  using Keys = std::set<std::string_view>;

  /// The cursor, moved over blanks.
  Cursor& next() {
    at_.pass_any_of(" \t\r\n");
    return at_;
  }

  std::uint32_t number(std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint32_t>(next().number(least, most));
  }

  /// A string as it is written, escapes included.
  std::string_view string() {
    next().expect("\"");
    const std::string_view rest = at_.rest();
    std::size_t length = 0;
    while (length < rest.size() && rest[length] != '"' && static_cast<unsigned char>(rest[length]) >= ' ')
      length += rest[length] == '\\' ? 2 : 1;
    at_.pass(length);
    at_.expect("\"");
    return rest.substr(0, length);
  }

  template <class Item>
  void list(Item&& item) {
    next().expect("[");
    if (next().skip("]")) return;
    do item();
    while (next().skip(","));
    next().expect("]");
  }

  /// Calls member(key) with the cursor at the value. No key may occur twice, and the required ones must occur.
  template <class Member>
  Keys object(const Keys& required, Member&& member) {
    Keys seen;
    next().expect("{");
    do {
      const std::string_view key = string();
      if (!seen.insert(key).second) at_.malformed("this key stands twice");
      next().expect(":");
      member(key);
    } while (next().skip(","));
    next().expect("}");
    if (!std::includes(seen.begin(), seen.end(), required.begin(), required.end()))
      at_.malformed("a key is missing here");
    return seen;
  }

  void read_member(std::string_view key) {
    if (key == "format") return next().expect("\"onceover-schedule\"");
    if (key == "version") return static_cast<void>(number(1, 1));
    if (key == "collective") return read_collective();
    if (key == "ranks") return static_cast<void>(s_.ranks = number(1, most_ranks));
    if (key == "blocks") return static_cast<void>(s_.blocks = number(1, most_blocks));
    if (key == "root") return static_cast<void>(s_.root = number(0, ranks_ - 1));
    if (key == "owners") return list([&] { s_.owners.push_back(number(0, ranks_ - 1)); });
    if (key == "shape") return list([&] { number(1, most_ranks); });
    if (key == "algorithm") return static_cast<void>(string());
    if (key != "steps") at_.malformed("unknown key");
    list([&] {
      list([&] { read_transfer(); });
      ++step_;
    });
  }

  void read_collective() {
    const std::string_view name = string();
    for (const Collective& each : collectives)
      if (each.name == name) return static_cast<void>(s_.collective = each);
    at_.malformed("unknown collective");
  }

  void read_transfer() {
    Transfer transfer{step_, 0, 0, false};
    const std::size_t first_run = s_.runs.size();
    static const Keys required{"src", "dst", "blocks", "op"};
    object(required, [&](std::string_view key) {
      if (key == "src") return static_cast<void>(transfer.src = number(0, ranks_ - 1));
      if (key == "dst") return static_cast<void>(transfer.dst = number(0, ranks_ - 1));
      if (key == "lane") return static_cast<void>(number(0, most_lanes - 1));
      if (key == "blocks") return list([&] { read_run(); });
      if (key != "op") at_.malformed("unknown key");
      transfer.reduces = next().skip("\"reduce\"");
      if (!transfer.reduces) next().expect("\"copy\"");
    });
    check_runs(std::span(s_.runs).subspan(first_run));
    s_.transfers.push_back(transfer);
  }

  void read_run() {
    const bool is_pair = next().skip("[");
    const std::uint32_t first = number(0, blocks_ - 1);
    if (is_pair) next().expect(",");
    const std::uint32_t last = is_pair ? number(first, blocks_ - 1) : first;
    if (is_pair) next().expect("]");
    s_.runs.push_back({first, last, static_cast<std::uint32_t>(s_.transfers.size())});
  }

  void check_runs(std::span<Run> runs) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
    const auto meets = [](const Run& a, const Run& b) { return b.first <= a.last; };
    if (runs.empty() || std::adjacent_find(runs.begin(), runs.end(), meets) != runs.end())
      at_.malformed("expected blocks, each once");
  }

  void check_header(const Keys& seen) {
    const bool is_alltoall = s_.collective.begins == Who::origin;
    if (seen.contains("owners") && (is_alltoall || s_.owners.size() != s_.blocks))
      at_.malformed("expected one owner a block, and none for alltoall");
    if (is_alltoall && s_.blocks % (std::uint64_t{s_.ranks} * s_.ranks) != 0)
      at_.malformed("expected a multiple of ranks * ranks blocks");
  }

  Cursor at_;
  std::uint32_t ranks_, blocks_;
  std::uint32_t step_ = 0;
  Schedule s_ = {};
};

}  // namespace

Ranks Schedule::ranks_of(Who who, std::uint32_t block) const {
  if (who == Who::everyone) return {0, ranks};
  std::uint32_t rank = owners.empty() ? block % ranks : owners[block];
  if (who == Who::root) rank = root;
  if (who == Who::origin) rank = block / ranks % ranks;
  return {rank, rank + 1};
}

Schedule read_schedule(const Text& text) {
  const Schedule sizes = Reader(text, most_ranks, most_blocks).read();
  Schedule schedule = Reader(text, sizes.ranks, sizes.blocks).read();
  std::sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  return schedule;
}

}  // namespace check
