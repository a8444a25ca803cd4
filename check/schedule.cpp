#include "check/schedule.h"

#include <algorithm>
#include <array>
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

constexpr std::uint64_t most_blocks_with_scratch = 1 << 21;

/// How many blocks may land elsewhere, and how many cells a group may have.
constexpr std::uint64_t most_landings = 1 << 26, most_cells = 1 << 27;

/// Finds the groups of blocks that runs join.
void set_groups(Schedule& s) {
  s.lowest.resize(s.all_blocks());
  for (std::uint32_t b = 0; b < s.lowest.size(); ++b) s.lowest[b] = b;
  const auto root = [&](std::uint32_t b) {
    while (s.lowest[b] != b) b = s.lowest[b] = s.lowest[s.lowest[b]];
    return b;
  };
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    s.lowest[std::max(a, b)] = std::min(a, b);
  };
  for (const Run& run : s.runs)
    for (std::uint32_t b = run.first; b <= run.last && run.shift != 0; ++b)
      join(b, b + static_cast<std::uint32_t>(run.shift));
  for (std::uint32_t b = s.blocks; b < s.lowest.size(); ++b)
    if (root(b) >= s.blocks) join(b, 0);
  for (std::uint32_t b = 0; b < s.lowest.size(); ++b) s.members.emplace_back(s.lowest[b] = root(b), b);
  std::sort(s.members.begin(), s.members.end());
}

/// Fills `reach` for the subtree of the runs first .. end-1, whose root is the middle one.
std::uint32_t set_reach(Schedule& s, std::size_t first, std::size_t end) {
  if (first == end) return 0;
  const std::size_t middle = first + (end - first) / 2;
  return s.reach[middle] = std::max({s.runs[middle].last, set_reach(s, first, middle), set_reach(s, middle + 1, end)});
}

/// Calls visit for the runs of the subtree that contain the block.
template <class Visit>
void find_runs(const Schedule& s, std::size_t first, std::size_t end, std::uint32_t block, Visit&& visit) {
  const std::size_t middle = first + (end - first) / 2;
  if (first == end || s.reach[middle] < block) return;
  find_runs(s, first, middle, block, visit);
  if (s.runs[middle].first > block) return;
  if (s.runs[middle].last >= block) visit(s.runs[middle]);
  find_runs(s, middle + 1, end, block, visit);
}

/// Parses a schedule's JSON. The format is nested to a fixed depth, and so are these functions.
class Reader {
 public:
  /// The sizes and the version may come after what they bound, so they are given.
  Reader(const Text& text, const Schedule& sizes) : at_(text), sizes_(sizes) {}

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
    if (key == "version") return static_cast<void>(s_.version = number(1, 2));
    if (key == "collective") return read_collective();
    if (key == "ranks") return static_cast<void>(s_.ranks = number(1, most_ranks));
    if (key == "blocks") return static_cast<void>(s_.blocks = number(1, most_blocks));
    if (key == "scratch" && sizes_.version == 2) return static_cast<void>(s_.scratch = number(0, most_blocks));
    if (key == "root") return static_cast<void>(s_.root = number(0, sizes_.ranks - 1));
    if (key == "owners") return list([&] { s_.owners.push_back(number(0, sizes_.ranks - 1)); });
    if (key == "shape") return list([&] { number(1, most_ranks); });
    if (key == "algorithm" || key == "$schema") return static_cast<void>(string());
    if (key == "grid" || key == "phases") return list([&] { read_name(); });
    if (key != "steps") at_.malformed("unknown key");
    list([&] {
      list([&] { read_transfer(); });
      ++step_;
    });
  }

  /// A name with a number, which no verdict depends on.
  void read_name() {
    next().expect("[");
    string();
    next().expect(",");
    number(0, 1U << 31);
    next().expect("]");
  }

  void read_collective() {
    const std::string_view name = string();
    for (const Collective& each : collectives)
      if (each.name == name) return static_cast<void>(s_.collective = each);
    at_.malformed("unknown collective");
  }

  void read_transfer() {
    Transfer transfer{step_, 0, 0, false};
    std::vector<Run> sent, into;
    static const Keys required{"src", "dst", "blocks", "op"};
    const Keys seen = object(required, [&](std::string_view key) {
      if (key == "src") return static_cast<void>(transfer.src = number(0, sizes_.ranks - 1));
      if (key == "dst") return static_cast<void>(transfer.dst = number(0, sizes_.ranks - 1));
      if (key == "lane") return static_cast<void>(number(0, most_lanes - 1));
      if (key == "blocks") return list([&] { sent.push_back(read_run()); });
      if (key == "into" && sizes_.version == 2) return list([&] { into.push_back(read_run()); });
      if (key != "op") at_.malformed("unknown key");
      transfer.reduces = next().skip("\"reduce\"");
      if (!transfer.reduces) next().expect("\"copy\"");
    });
    if (seen.contains("into")) sent = landed(sent, into);
    check_runs(seen.contains("into") ? into : sent);
    s_.runs.insert(s_.runs.end(), sent.begin(), sent.end());
    s_.transfers.push_back(transfer);
  }

  Run read_run() {
    const auto end = static_cast<std::uint32_t>(sizes_.all_blocks());
    const bool is_pair = next().skip("[");
    const std::uint32_t first = number(0, end - 1);
    if (is_pair) next().expect(",");
    const std::uint32_t last = is_pair ? number(first, end - 1) : first;
    if (is_pair) next().expect("]");
    return {first, last, static_cast<std::uint32_t>(s_.transfers.size()), 0};
  }

  /// The runs cut where they land apart: the k-th block that is sent lands in the k-th of `into`.
  std::vector<Run> landed(const std::vector<Run>& sent, std::vector<Run> into) {
    std::vector<Run> cut;
    auto to = into.begin();
    for (Run run : sent)
      for (std::uint32_t size = 0; run.first <= run.last; run.first += size) {
        if (to == into.end() || landings_ > most_landings) at_.malformed("more blocks than 'into', or than 2^26, land");
        size = std::min(run.last - run.first, to->last - to->first) + 1;
        const auto shift = static_cast<std::int32_t>(to->first) - static_cast<std::int32_t>(run.first);
        cut.push_back({run.first, run.first + size - 1, run.transfer, shift});
        if ((to->first += size) > to->last) ++to;
        landings_ += size;
      }
    if (to != into.end()) at_.malformed("more blocks in 'into' than in 'blocks'");
    return cut;
  }

  void check_runs(std::vector<Run>& runs) {
    std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
    const auto meets = [](const Run& a, const Run& b) { return b.first <= a.last; };
    if (runs.empty() || std::adjacent_find(runs.begin(), runs.end(), meets) != runs.end())
      at_.malformed("expected blocks, each once");
  }

  void check_header(const Keys& seen) {
    if (s_.all_blocks() > most_blocks) at_.malformed("more than 2^28 blocks");
    if (s_.version == 2 && s_.all_blocks() > most_blocks_with_scratch)
      at_.malformed("version 2, and more than 2^21 blocks, scratch included");
    const bool is_alltoall = s_.collective.begins == Who::origin;
    if (seen.contains("owners") && (is_alltoall || s_.owners.size() != s_.blocks))
      at_.malformed("expected one owner a block, and none for alltoall");
    if (is_alltoall && s_.blocks % (std::uint64_t{s_.ranks} * s_.ranks) != 0)
      at_.malformed("expected a multiple of ranks * ranks blocks");
  }

  Cursor at_;
  const Schedule sizes_;
  std::uint32_t step_ = 0;
  std::uint64_t landings_ = 0;
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

std::vector<std::uint32_t> Schedule::slots_of(std::uint32_t block) const {
  std::vector<std::uint32_t> slots{block};
  if (lowest.empty()) return slots;
  auto member = std::lower_bound(members.begin(), members.end(), std::pair(lowest[block], lowest[block]));
  for (; member != members.end() && member->first == lowest[block]; ++member)
    if (member->second != block) slots.push_back(member->second);
  if (slots.size() * ranks > most_cells) throw Outcome{Outcome::Kind::malformed, "a block has more than 2^27 cells"};
  return slots;
}

std::vector<Transfer> Schedule::transfers_of(const std::vector<std::uint32_t>& slots) const {
  const auto cell = [&](std::uint32_t block, std::uint32_t rank) {
    const auto slot = block == slots[0] ? slots.begin() : std::lower_bound(slots.begin() + 1, slots.end(), block);
    return static_cast<std::uint32_t>(slot - slots.begin()) * ranks + rank;
  };
  std::vector<std::array<std::int64_t, 3>> moves;  // transfer, shift, block
  for (const std::uint32_t block : slots)
    find_runs(*this, 0, runs.size(), block, [&](const Run& run) { moves.push_back({run.transfer, run.shift, block}); });
  std::sort(moves.begin(), moves.end());
  std::vector<Transfer> list;
  for (const auto& [number, shift, block] : moves) {
    const Transfer& t = transfers[static_cast<std::size_t>(number)];
    list.push_back({t.step, cell(static_cast<std::uint32_t>(block), t.src),
                    cell(static_cast<std::uint32_t>(block + shift), t.dst), t.reduces});
  }
  return list;
}

Schedule read_schedule(const Text& text) {
  Schedule sizes = {};
  sizes.ranks = most_ranks, sizes.blocks = most_blocks, sizes.version = 2;
  sizes = Reader(text, sizes).read();
  Schedule s = Reader(text, sizes).read();
  std::sort(s.runs.begin(), s.runs.end(), [](const Run& a, const Run& b) { return a.first < b.first; });
  s.reach.resize(s.runs.size());
  set_reach(s, 0, s.runs.size());
  if (s.version == 2) set_groups(s);
  return s;
}

}  // namespace check
