#include "schedules/schedule.h"

#include <cassert>
#include <numeric>

#include "base/stop.h"

namespace onceover::schedules {

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

/// Calls visit(Passing) for each move of a block in the window, in the order of the steps.
template <class Visit>
void for_each_passing(const Schedule& schedule, BlockRange window, Visit&& visit) {
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.for_each_landing([&](const BlockSet& set, Block shift) {
        set.for_each_block(window, [&](Block b) { visit(Passing{b, b + shift, step, t.op, t.src, t.dst}); });
      });
  }
}

/// The moves of the window's blocks; if blocks are in groups, about as many.
std::uint64_t count_moves(const Schedule& schedule, BlockRange window) {
  if (schedule.groups() != nullptr) {
    const auto blocks = static_cast<std::uint64_t>(schedule.header().blocks);
    return (schedule.block_transfers() / blocks + 1) * static_cast<std::uint64_t>(window.size());
  }
  std::uint64_t moves = 0;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) moves += static_cast<std::uint64_t>(t.blocks.count_in(window));
  }
  return moves;
}

/// Positions of `passing`, sorted by the sort of each and otherwise in order. Those of sort k begin at starts[k].
struct Sorted {
  std::vector<std::size_t> starts;
  std::vector<std::size_t> positions;

  std::span<const std::size_t> of(std::size_t sort) const {
    return {positions.data() + starts[sort], starts[sort + 1] - starts[sort]};
  }
};

template <class SortOf>
Sorted sorted(const std::vector<Passing>& passing, std::size_t sorts, SortOf&& sort_of) {
  Sorted sorted{std::vector<std::size_t>(sorts + 1), std::vector<std::size_t>(passing.size())};
  for (const Passing& p : passing) ++sorted.starts[sort_of(p) + 1];
  for (std::size_t k = 1; k < sorted.starts.size(); ++k) sorted.starts[k] += sorted.starts[k - 1];
  std::vector<std::size_t> next = sorted.starts;
  for (std::size_t k = 0; k < passing.size(); ++k) sorted.positions[next[sort_of(passing[k])]++] = k;
  return sorted;
}

void add_move(Trace& trace, const Passing& p, BlockTransfer move) {
  *trace.room(1) = move;
  trace.commit(1);
  trace.end_segment(p.step, p.op);
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
      for (const std::size_t k : by_group.of(mark_of(b)))
        add_move(trace_, passing[k], {cell(passing[k].block, passing[k].src), cell(passing[k].into, passing[k].dst)});
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
    std::vector<Passing> passing;
    for_each_passing(schedule_, {0, schedule_.header().all_blocks()}, [&](const Passing& p) {
      if (mark_of(p.block) != unmarked) passing.push_back(p);
    });
    return passing;
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
  if (window.size() > 1 && count_moves(*this, window) > most_sorted_moves) {
    const Block middle = window.first + window.size() / 2;
    Schedule::traces({window.first, middle}, visit);
    return Schedule::traces({middle, window.end}, visit);
  }
  if (groups() != nullptr) return GroupTraces(*this).visit(window, visit);
  std::vector<Passing> passing;
  for_each_passing(*this, window, [&](const Passing& p) { passing.push_back(p); });
  auto place = [&](const Passing& p) { return static_cast<std::size_t>(p.block - window.first); };
  const Sorted by_block = sorted(passing, static_cast<std::size_t>(window.size()), place);
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    for (const std::size_t k : by_block.of(static_cast<std::size_t>(b - window.first)))
      add_move(trace, passing[k], {passing[k].src, passing[k].dst});
    visit(b, trace);
  }
}

}  // namespace onceover::schedules
