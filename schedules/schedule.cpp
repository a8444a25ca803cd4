#include "schedules/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/stop.h"

namespace onceover::schedules {

std::string Names::place(Rank rank) const {
  if (grid.empty() || rank < 0) return "";
  std::string text;
  for (auto axis = grid.rbegin(); axis != grid.rend(); ++axis) {
    text = fmt::format("{} {}{}{}", axis->name, rank % axis->size, text.empty() ? "" : ", ", text);
    rank /= axis->size;
  }
  return rank == 0 ? fmt::format("({})", text) : "";
}

std::string_view Names::phase(int step) const {
  const auto after =
      std::upper_bound(phases.begin(), phases.end(), step, [](int at, const Phase& phase) { return at < phase.first; });
  return after == phases.begin() ? std::string_view() : std::prev(after)->name;
}

std::string Names::rank(Rank rank) const {
  const std::string where = place(rank);
  return where.empty() ? std::to_string(rank) : fmt::format("{} {}", rank, where);
}

std::string Names::step(int step) const {
  const std::string_view in = phase(step);
  return in.empty() ? std::to_string(step) : fmt::format("{} ({})", step, in);
}

Names with_swapped_steps(const Names& names, int first, int second, int steps) {
  Names swapped{names.grid};
  for (int step = 0; step < steps; ++step) {
    const int was = step == first ? second : step == second ? first : step;
    const std::string_view phase = names.phase(was);
    if (phase != (swapped.phases.empty() ? std::string_view() : swapped.phases.back().name))
      swapped.phases.push_back({std::string(phase), step});
  }
  return swapped;
}

Rank Header::holder(Holders holders, Block block) const {
  switch (holders) {
    case Holders::owner: return owner(block);
    case Holders::root: return root;
    case Holders::origin: return origin(block);
    case Holders::everyone: break;
  }
  assert(false && "everyone is not one rank");
  return 0;
}

namespace {

/// The move of a value, in the order of the steps.
struct Passing {
  Block block;  // that is sent
  Block into;
  int step;
  Op op;
  Rank src;
  Rank dst;
};

/// How many moves are sorted at a time; a single block may have more.
constexpr std::uint64_t most_sorted_moves = 1 << 20;

/// The moves of the window's blocks, in the order of the steps, or as many as there are up to a transfer with which
/// they are more than `most`.
struct Passings {
  std::vector<Passing> moves = {};
  bool are_all = true;
};

/// About as many as the moves of the window's blocks.
std::uint64_t usual_moves(const Schedule& schedule, BlockRange window) {
  const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
  return (schedule.block_transfers() / blocks + 1) * static_cast<std::uint64_t>(window.size());
}

/// `is_wanted(block)` may leave out some blocks of the window.
template <class IsWanted>
Passings passings(const Schedule& schedule, BlockRange window, std::uint64_t most, IsWanted&& is_wanted) {
  Passings found;
  found.moves.reserve(std::min(most_sorted_moves, usual_moves(schedule, window)));
  for (int step = 0; step < schedule.steps() && found.are_all; ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
      stop_point();
      for (const Transfer& t : some)
        t.for_each_landing([&](const BlockSet& set, Block shift) {
          found.are_all =
              found.are_all && found.moves.size() + static_cast<std::uint64_t>(set.count_in(window)) <= most;
          if (!found.are_all) return;
          set.for_each_block(window, [&](Block b) {
            if (is_wanted(b)) found.moves.push_back({b, b + shift, step, t.op, t.src, t.dst});
          });
        });
    });
  return found;
}

/// Positions of `passing`, sorted by the sort of each and otherwise in order. Those of sort k begin at starts[k].
struct Sorted {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> positions;

  std::span<const std::uint32_t> of(std::size_t sort) const {
    return {positions.data() + starts[sort], starts[sort + 1] - starts[sort]};
  }
};

template <class SortOf>
Sorted sorted(const std::vector<Passing>& passing, std::size_t sorts, SortOf&& sort_of) {
  Sorted sorted{std::vector<std::size_t>(sorts + 1), std::vector<std::uint32_t>(passing.size())};
  assert(passing.size() <= UINT32_MAX);
  for (const Passing& p : passing) ++sorted.starts[sort_of(p) + 1];
  for (std::size_t k = 1; k < sorted.starts.size(); ++k) sorted.starts[k] += sorted.starts[k - 1];
  std::vector<std::size_t> next = sorted.starts;
  for (std::size_t k = 0; k < passing.size(); ++k)
    sorted.positions[next[sort_of(passing[k])]++] = static_cast<std::uint32_t>(k);
  return sorted;
}

/// The traces of blocks in groups: that of a block has the moves of its group, between cells.
class GroupTraces {
 public:
  explicit GroupTraces(const Schedule& schedule)
      : schedule_(schedule),
        groups_(*schedule.groups()),
        slot_of_(static_cast<std::size_t>(schedule.header().all_blocks())) {}

  void visit(BlockRange window, const Schedule::TraceVisitor& visit) {
    mark_groups(window);
    const std::vector<Passing> passing = passing_moves();
    const Sorted by_group = sorted(passing, marked_, [&](const Passing& p) { return mark_of(p.block); });
    for (Block b = window.first; b < window.end; ++b) {
      set_slots(b);
      for (const std::uint32_t k : by_group.of(mark_of(b))) {
        const Passing& p = passing[k];
        trace_.add(p.step, p.op, {cell(p.block, p.src), cell(p.into, p.dst)});
      }
      visit(b, trace_);
    }
  }

 private:
  static constexpr std::uint32_t unmarked = UINT32_MAX;

  /// Numbers the groups of the window's blocks.
  void mark_groups(BlockRange window) {
    marks_.assign(groups_.size(), unmarked);
    marked_ = 0;
    for (Block b = window.first; b < window.end; ++b)
      if (mark_of(b) == unmarked) marks_[groups_.number(b)] = static_cast<std::uint32_t>(marked_++);
  }

  std::uint32_t mark_of(Block block) const { return marks_[groups_.number(block)]; }

  std::vector<Passing> passing_moves() const {
    const BlockRange all{0, schedule_.header().all_blocks()};
    return passings(schedule_, all, UINT64_MAX, [&](Block b) { return mark_of(b) != unmarked; }).moves;
  }

  void set_slots(Block block) {
    slots_.assign(1, block);
    for (const Block b : groups_.of(block))
      if (b != block) slots_.push_back(b);
    for (std::size_t k = 0; k < slots_.size(); ++k)
      slot_of_[static_cast<std::size_t>(slots_[k])] = static_cast<Rank>(k);
    trace_.clear();
    trace_.set_slots(slots_);
  }

  Rank cell(Block block, Rank rank) const {
    return slot_of_[static_cast<std::size_t>(block)] * schedule_.header().ranks + rank;
  }

  const Schedule& schedule_;
  const Groups& groups_;
  std::vector<Rank> slot_of_;         // by block, for those of the current group
  std::vector<std::uint32_t> marks_;  // by group
  std::size_t marked_ = 0;
  std::vector<Block> slots_;
  Trace trace_;
};

}  // namespace

void Schedule::transfers(int step, std::vector<Transfer>& out) const {
  out.clear();
  visit_transfers(step, [&](std::span<const Transfer> some) {
    stop_point();
    out.insert(out.end(), some.begin(), some.end());
  });
}

void Schedule::messages(int step, std::vector<Transfer>& out) const {
  transfers(step, out);
  std::erase_if(out, [](const Transfer& t) { return t.is_local(); });
}

std::vector<int> Schedule::alike() const {
  std::vector<int> each(static_cast<std::size_t>(steps()));
  std::iota(each.begin(), each.end(), 0);
  return each;
}

void Schedule::traces(BlockRange window, const TraceVisitor& visit) const {
  auto visit_halves = [&] {
    const Block middle = window.first + window.size() / 2;
    Schedule::traces({window.first, middle}, visit);
    Schedule::traces({middle, window.end}, visit);
  };
  const bool can_halve = window.size() > 1;
  if (groups() != nullptr) {
    if (can_halve && usual_moves(*this, window) > most_sorted_moves) return visit_halves();
    return GroupTraces(*this).visit(window, visit);
  }
  const std::uint64_t most = can_halve ? most_sorted_moves : UINT64_MAX;
  const auto [moves, are_all] = passings(*this, window, most, [](Block) { return true; });
  if (!are_all) return visit_halves();
  auto place = [first = window.first](const Passing& p) { return static_cast<std::size_t>(p.block - first); };
  const Sorted by_block = sorted(moves, static_cast<std::size_t>(window.size()), place);
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    for (const std::uint32_t k : by_block.of(static_cast<std::size_t>(b - window.first)))
      trace.add(moves[k].step, moves[k].op, {moves[k].src, moves[k].dst});
    visit(b, trace);
  }
}

}  // namespace onceover::schedules
