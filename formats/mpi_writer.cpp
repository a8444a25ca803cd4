// The file is fixed C around two tables: runs of blocks, and each rank's actions, which say what it does with them. An
// action names its blocks by the number of a list of runs, so blocks that many messages carry are written once.
//
// In a step a rank's receives come before its sends. Each receive says what to do with the blocks: SUM adds them to the
// held ones, PLACE receives them into their place. If the rank also sends one of them in that step, the old value must
// go out first; then the action is COPY, which receives elsewhere.
//
// Example, rank 0 in a ring of two: {0, SUM, 1, 1}, {0, SEND, 1, 0}, {1, PLACE, 1, 0}, {1, SEND, 1, 2}. In step 0 it
// adds what rank 1 sends to the blocks of list 1, and sends rank 1 those of list 0.
//
// If blocks land elsewhere, the receiver's list says where, in the order of the sender's. A block that lands twice
// comes early in both, so that the second places belong to the first blocks of the message: SUM_AGAIN and COPY_AGAIN
// say which. SUM_OWN and COPY_OWN move what stays on its rank.
//
// A run is cut where the side changes: 0..3, of which 1..2 arrive as the right operand, is written as 0..0, 1..2, 3..3.
// O(R log R) for R runs in all transfers.

#include "formats/mpi_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "base/text_output.h"

namespace onceover::formats {

/// The text that all exported C files share: mpi/allreduce.c, embedded in the library.
namespace mpi_text {
extern const std::string_view before_tables;
extern const std::string_view after_tables;
}  // namespace mpi_text

namespace {

enum class ActionKind : std::uint8_t { send, sum, copy, place, sum_again, copy_again, sum_own, copy_own };

constexpr std::array<std::string_view, 8> action_names{"SEND",      "SUM",        "COPY",    "PLACE",
                                                       "SUM_AGAIN", "COPY_AGAIN", "SUM_OWN", "COPY_OWN"};

/// Neighbouring blocks of a message whose arriving values are on one side of the sum.
struct SidedRun {
  Block first;
  Block last;
  bool from_right;

  auto operator<=>(const SidedRun&) const = default;
};

using RunList = std::vector<SidedRun>;

/// The runs of a set, cut where the side changes. `right` is sorted and inside the set.
RunList sided_runs(const BlockSet& blocks, std::span<const Run> right) {
  RunList list;
  auto next = right.begin();
  blocks.for_each_run([&](Run run) {
    Block first = run.first;
    for (; next != right.end() && next->first <= run.last; ++next) {
      if (first < next->first) list.push_back({first, next->first - 1, false});
      list.push_back({next->first, next->last, true});
      first = next->last + 1;
    }
    if (first <= run.last) list.push_back({first, run.last, false});
  });
  return list;
}

/// The lists of a transfer whose blocks land elsewhere: those that are sent, and where they land. Second places, third
/// ones and so on are those of the first runs that are sent. Scratch blocks are alone in their runs.
struct LandedLists {
  RunList sent;
  std::vector<RunList> into;
};

void append(RunList& list, Block block, Block blocks) {
  if (block < blocks && !list.empty() && list.back().last + 1 == block)
    list.back().last = block;
  else
    list.push_back({block, block, false});
}

LandedLists landed_lists(const Transfer& t, Block blocks) {
  std::map<Block, std::vector<Block>> places;
  t.for_each_landing([&](const BlockSet& set, Block shift) {
    set.for_each_run([&](Run run) {
      for (Block b = run.first; b <= run.last; ++b) places[b].push_back(b + shift);
    });
  });
  std::vector<std::pair<Block, std::vector<Block>>> order(places.begin(), places.end());
  auto count = [](const auto& each) { return each.second.size(); };
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) { return count(a) > count(b); });
  LandedLists lists{{}, std::vector<RunList>(order.empty() ? 0 : count(order.front()))};
  for (const auto& [block, into] : order) {
    append(lists.sent, block, blocks);
    for (std::size_t k = 0; k < into.size(); ++k) append(lists.into[k], into[k], blocks);
  }
  return lists;
}

/// The different lists of runs, numbered in the order of their first use.
class RunLists {
 public:
  int number_of(RunList list) {
    const auto [place, is_new] = numbers_.try_emplace(std::move(list), static_cast<int>(lists_.size()));
    if (is_new) lists_.push_back(&place->first);
    return place->second;
  }

  const RunList& list(int number) const { return *lists_[static_cast<std::size_t>(number)]; }
  const std::vector<const RunList*>& all() const { return lists_; }

 private:
  std::map<RunList, int> numbers_;
  std::vector<const RunList*> lists_;
};

/// One end of a message, or what a rank does with its own blocks; then `peer` is the list of these.
struct Action {
  int step;
  ActionKind kind;
  Rank peer;
  int list;
};

/// What each rank does, step by step: first receives, then sends, each in the order of the schedule.
class Actions {
 public:
  Actions(const Schedule& schedule, const MpiOptions& options)
      : blocks_(schedule.header().blocks),
        has_scratch_(schedule.groups() != nullptr),
        of_rank_(static_cast<std::size_t>(schedule.header().ranks)) {
    std::vector<Transfer> transfers;
    std::size_t before = 0;
    for (int step = 0; step < schedule.steps(); ++step) {
      schedule.transfers(step, transfers);
      add_step(step, transfers, options, before);
      before += transfers.size();
    }
  }

  const std::vector<std::vector<Action>>& of_rank() const { return of_rank_; }
  const RunLists& lists() const { return lists_; }

 private:
  static std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

  /// The numbers of a transfer's lists: what is sent, and where it lands.
  struct Numbers {
    int sent;
    std::vector<int> into;
  };

  Numbers numbers_of(const Transfer& t, std::span<const Run> right) {
    if (!has_scratch_) {
      const int number = lists_.number_of(sided_runs(t.blocks, right));
      return {number, {number}};
    }
    LandedLists lists = landed_lists(t, blocks_);
    Numbers numbers{lists_.number_of(std::move(lists.sent)), {}};
    for (RunList& list : lists.into) numbers.into.push_back(lists_.number_of(std::move(list)));
    return numbers;
  }

  void add_step(int step, const std::vector<Transfer>& transfers, const MpiOptions& options, std::size_t before) {
    std::vector<Numbers> numbers;
    std::map<Rank, std::vector<Run>> sent;
    for (std::size_t k = 0; k < transfers.size(); ++k) {
      const std::span<const Run> right =
          options.from_right ? (*options.from_right)[before + k] : std::span<const Run>{};
      numbers.push_back(numbers_of(transfers[k], right));
      if (!transfers[k].is_local())
        transfers[k].blocks.for_each_run([&](Run run) { sent[transfers[k].src].push_back(run); });
    }
    for (auto& [rank, runs] : sent) unite(runs);
    for (std::size_t k = 0; k < transfers.size(); ++k) add_receives(step, transfers[k], numbers[k], sent);
    for (std::size_t k = 0; k < transfers.size(); ++k)
      if (const Transfer& t = transfers[k]; !t.is_local())
        of_rank_[index(t.src)].push_back({step, ActionKind::send, t.dst, numbers[k].sent});
  }

  void add_receives(int step, const Transfer& t, const Numbers& numbers, std::map<Rank, std::vector<Run>>& sent) {
    auto& actions = of_rank_[index(t.dst)];
    const bool is_sum = t.op == Op::reduce;
    for (std::size_t k = 0; k < numbers.into.size(); ++k) {
      const ActionKind again = is_sum ? ActionKind::sum_again : ActionKind::copy_again;
      if (k > 0)
        actions.push_back({step, again, t.src, numbers.into[k]});
      else if (t.is_local())
        actions.push_back({step, is_sum ? ActionKind::sum_own : ActionKind::copy_own, numbers.sent, numbers.into[k]});
      else
        actions.push_back({step, numbers.into.size() > 1 && !is_sum ? ActionKind::copy : kind_of(t, sent[t.dst]), t.src,
                           numbers.into[k]});
    }
  }

  /// What the receiver does with the transfer, if it sends the runs `sent` in the same step.
  static ActionKind kind_of(const Transfer& t, const std::vector<Run>& sent) {
    if (t.op == Op::reduce) return ActionKind::sum;
    bool meets_sent = false;
    t.for_each_landing([&](const BlockSet& set, Block shift) { meets_sent = meets_sent || meets(set, shift, sent); });
    return meets_sent ? ActionKind::copy : ActionKind::place;
  }

  /// Sorts the runs and joins those that overlap.
  static void unite(std::vector<Run>& runs) {
    std::sort(runs.begin(), runs.end(), [](Run a, Run b) { return a.first < b.first; });
    std::vector<Run> united;
    for (const Run run : runs)
      if (!united.empty() && run.first <= united.back().last)
        united.back().last = std::max(united.back().last, run.last);
      else
        united.push_back(run);
    runs = std::move(united);
  }

  /// Is one of the blocks, moved by `shift`, in the runs?
  static bool meets(const BlockSet& blocks, Block shift, const std::vector<Run>& runs) {
    bool found = false;
    blocks.for_each_run([&](Run run) {
      const Run moved{run.first + shift, run.last + shift};
      const auto other = std::partition_point(runs.begin(), runs.end(), [&](Run r) { return r.last < moved.first; });
      found = found || (other != runs.end() && other->first <= moved.last);
    });
    return found;
  }

  Block blocks_;
  bool has_scratch_;
  std::vector<std::vector<Action>> of_rank_;
  RunLists lists_;
};

/// The most actions that a rank has in one step.
std::size_t most_messages(const Actions& actions) {
  std::size_t most = 0;
  for (const auto& list : actions.of_rank())
    for (std::size_t first = 0, k = 0; k < list.size(); ++k) {
      if (list[k].step != list[first].step) first = k;
      most = std::max(most, k + 1 - first);
    }
  return most;
}

std::size_t most_runs(const RunLists& lists) {
  std::size_t most = 0;
  for (const RunList* list : lists.all()) most = std::max(most, list->size());
  return most;
}

/// Any text as one line inside a comment: nothing in it begins or ends a comment or a line.
std::string comment_text(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool would_nest = !line.empty() && ((line.back() == '*' && c == '/') || (line.back() == '/' && c == '*'));
    if (would_nest) line += ' ';
    const auto byte = static_cast<unsigned char>(c);
    line += byte < ' ' || byte == 0x7f ? ' ' : c;
  }
  return line;
}

/// Values side by side, as many as fit into a line.
class Row {
 public:
  explicit Row(TextOutput& out) : out_(out) {}

  void add(const std::string& value) {
    if (used_ > 0 && used_ + value.size() + 2 > width) end();
    out_.put("{}{},", used_ == 0 ? "  " : " ", value);
    used_ += value.size() + 2;
  }

  void end() {
    if (used_ > 0) out_.put("\n");
    used_ = 0;
  }

 private:
  static constexpr std::size_t width = 118;

  TextOutput& out_;
  std::size_t used_ = 0;
};

class MpiWriter {
 public:
  MpiWriter(const Schedule& schedule, const MpiOptions& options, std::FILE* file)
      : schedule_(schedule), header_(schedule.header()), options_(options), actions_(schedule, options), out_(file) {}

  bool write() {
    out_.put("/*\n");
    for (const std::string& line : options_.about) out_.put(" *{}{}\n", line.empty() ? "" : " ", comment_text(line));
    out_.put(" */\n{}", mpi_text::before_tables);
    write_sizes();
    write_homes();
    write_runs();
    write_actions();
    out_.put("\n{}", mpi_text::after_tables);
    return out_.finish();
  }

 private:
  void write_sizes() {
    out_.put("#define FUNCTION {0}\n#define FUNCTION_NAME \"{0}\"\n\n", options_.function);
    out_.put(
        "enum {{ RANKS = {}, BLOCKS = {}, SCRATCH = {}, MOST_MESSAGES = {}, MOST_RUNS = {}, KEEPS_ORDER = {} }};\n\n",
        header_.ranks, header_.blocks, header_.scratch, std::max<std::size_t>(1, most_messages(actions_)),
        std::max<std::size_t>(1, most_runs(actions_.lists())), options_.from_right ? 1 : 0);
  }

  /// Writes the block whose values each scratch block takes.
  void write_homes() {
    out_.put("static const int home[] = {{\n");
    Row row(out_);
    for (Block b = header_.blocks; b < header_.all_blocks(); ++b)
      row.add(std::to_string(schedule_.groups()->of(b).front()));
    if (header_.scratch == 0) row.add("0");
    row.end();
    out_.put("}};\n\n");
  }

  /// Writes the tables of runs. C has no empty tables, so an empty one gets a row that nothing reads.
  void write_runs() {
    const auto& lists = actions_.lists().all();
    out_.put("static const struct run runs[] = {{\n");
    Row row(out_);
    for (const RunList* list : lists)
      for (const SidedRun& run : *list)
        row.add(fmt::format("{{{}, {}, {}}}", run.first, run.last, run.from_right ? "RIGHT" : "LEFT"));
    if (lists.empty()) row.add("{0, 0, LEFT}");
    row.end();
    out_.put("}};\n\nstatic const int first_run[] = {{\n");
    std::size_t first = 0;
    for (const RunList* list : lists) {
      row.add(std::to_string(first));
      first += list->size();
    }
    row.add(std::to_string(first));
    row.end();
    out_.put("}};\n\n");
  }

  void write_actions() {
    out_.put("static const struct action actions[] = {{\n");
    Row row(out_);
    for (std::size_t rank = 0; rank < actions_.of_rank().size(); ++rank) {
      const auto& list = actions_.of_rank()[rank];
      if (!list.empty()) out_.put("  /* rank {} */\n", rank);
      for (std::size_t k = 0; k < list.size(); ++k) {
        const Action& a = list[k];
        if (k > 0 && list[k - 1].step != a.step) row.end();
        row.add(
            fmt::format("{{{}, {}, {}, {}}}", a.step, action_names[static_cast<std::size_t>(a.kind)], a.peer, a.list));
      }
      row.end();
    }
    if (actions_.lists().all().empty()) row.add("{0, SEND, 0, 0}");
    row.end();
    out_.put("}};\n\nstatic const int first_action[RANKS + 1] = {{\n");
    std::size_t first = 0;
    for (const auto& list : actions_.of_rank()) {
      row.add(std::to_string(first));
      first += list.size();
    }
    row.add(std::to_string(first));
    row.end();
    out_.put("}};\n");
  }

  const Schedule& schedule_;
  const Header& header_;
  const MpiOptions& options_;
  Actions actions_;
  TextOutput out_;
};

}  // namespace

std::optional<NotLowered> mpi_refusal(const Schedule& schedule) {
  if (schedule.header().collective != Collective::allreduce)
    return NotLowered{NotLowered::Kind::unfit,
                      fmt::format("there is C for allreduce only, not for {}", name(schedule.header().collective))};
  if (schedule.groups() != nullptr && schedule.groups()->mixes())
    return NotLowered{
        NotLowered::Kind::unfit,
        "values of different blocks meet in one; in C blocks have different lengths, so each needs scratch "
        "of its own"};
  if (schedule.block_transfers() <= most_mpi_transfers) return std::nullopt;
  std::uint64_t transfers = 0;
  std::vector<Transfer> of_step;
  for (int step = 0; step < schedule.steps() && transfers <= most_mpi_transfers; ++step) {
    schedule.transfers(step, of_step);
    transfers += of_step.size();
  }
  if (transfers <= most_mpi_transfers) return std::nullopt;
  return NotLowered{NotLowered::Kind::too_large,
                    fmt::format("more than {} transfers are too much for a compiler", most_mpi_transfers)};
}

bool write_mpi(const Schedule& schedule, const MpiOptions& options, std::FILE* file) {
  return MpiWriter(schedule, options, file).write();
}

}  // namespace onceover::formats
