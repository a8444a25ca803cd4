#include "schedules/listed_schedule.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/files.h"
#include "base/stop.h"

namespace onceover::schedules {

namespace {

constexpr std::size_t max_lists = INT32_MAX;

Block size_of(std::span<const Run> runs) {
  Block size = 0;
  for (const Run run : runs) size += run.size();
  return size;
}

/// Adds a run that begins behind those before it, or in the last of them; joins the two if they meet.
void append(std::vector<Run>& runs, std::size_t first, Run run) {
  if (runs.size() > first && run.first <= runs.back().last + 1)
    runs.back().last = std::max(runs.back().last, run.last);
  else
    runs.push_back(run);
}

}  // namespace

void ListedSchedule::Builder::reserve(std::size_t transfers) {
  entries_.reserve(transfers);
  prefer_large_pages(entries_.data(), transfers * sizeof(Entry));
}

void ListedSchedule::Builder::add_list(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane,
                                       std::uint32_t landings) {
  assert(runs_.size() + runs.size() <= UINT32_MAX && lists_.size() < max_lists);
  const Run place{static_cast<Block>(lists_.size()), 0};
  lists_.push_back(
      {static_cast<std::uint32_t>(runs_.size()), static_cast<std::uint32_t>(runs.size()), size_of(runs), landings});
  runs_.insert(runs_.end(), runs.begin(), runs.end());
  add_entry({src, dst, place, static_cast<std::uint16_t>(lane), op, true});
}

void ListedSchedule::Builder::add_entry(const Entry& entry) {
  assert(!step_ends_.empty());
  entries_.push_back(entry);
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<const Run> runs, Op op, int lane) {
  assert(lane >= 0 && lane < max_lanes);
  if (runs.size() != 1) return add_list(src, dst, runs, op, lane, 0);
  add_entry({src, dst, runs.front(), static_cast<std::uint16_t>(lane), op, false});
}

BlockSet ListedSchedule::Builder::blocks_of(const Entry& entry) const {
  if (!entry.has_list) return {{&entry.run, 1}, entry.run.size()};
  const List& list = list_of(entry);
  return {runs_of(list), list.size};
}

void ListedSchedule::Builder::add(Rank src, Rank dst, std::span<LandedRun> landed, Op op, int lane) {
  auto first = [](const LandedRun& run) { return run.sent.first; };
  std::sort(landed.begin(), landed.end(), [&](const auto& a, const auto& b) { return first(a) < first(b); });
  std::vector<Run> sent;
  for (const LandedRun& run : landed) append(sent, 0, run.sent);
  add_list(src, dst, sent, op, lane, static_cast<std::uint32_t>(landings_.size()));
  std::stable_sort(landed.begin(), landed.end(), [](const auto& a, const auto& b) { return a.shift() < b.shift(); });
  std::vector<LandedRuns> by_shift;
  for (const LandedRun& run : landed) {
    if (by_shift.empty() || by_shift.back().shift != run.shift())
      by_shift.push_back({landed_runs_.size(), 0, run.shift()});
    append(landed_runs_, by_shift.back().first, run.sent);
    by_shift.back().count = landed_runs_.size() - by_shift.back().first;
  }
  landings_.push_back(std::move(by_shift));
}

ListedSchedule::ListedSchedule(Header header, Builder&& builder)
    : Schedule(std::move(header)), listed_(std::move(builder)) {
  listed_.step_ends_.push_back(listed_.entries_.size());
  for (const auto& landings : listed_.landings_) {
    landings_.emplace_back();
    for (const auto& [first, count, shift] : landings) {
      const std::span<const Run> runs(listed_.landed_runs_.data() + first, count);
      landings_.back().push_back({BlockSet(runs, size_of(runs)), shift});
    }
  }
  for (const Builder::Entry& entry : listed_.entries_) {
    const std::uint32_t landings = listed_.landings_of(entry);
    if (landings == 0) block_transfers_ += static_cast<std::uint64_t>(listed_.blocks_of(entry).size());
    for (const Landing& landing : landings_[landings])
      block_transfers_ += static_cast<std::uint64_t>(landing.blocks.size());
  }
  if (this->header().scratch > 0 || landings_.size() > 1) set_groups(grouped());
}

Groups ListedSchedule::grouped() const {
  Groups groups(header().blocks, header().scratch);
  auto is_block = [&](Block block) { return block >= 0 && block < header().all_blocks(); };
  for (const auto& landings : landings_)
    for (const Landing& landing : landings)
      landing.blocks.for_each_run([&](Run run) {
        for (Block b = run.first; b <= run.last; ++b)
          if (is_block(b) && is_block(b + landing.shift)) groups.join(b, b + landing.shift);
      });
  for (const Builder::Entry& entry : listed_.entries_) {
    listed_.blocks_of(entry).for_each_run([&](Run run) { groups.name(run); });
    for (const Landing& landing : landings_[listed_.landings_of(entry)])
      landing.blocks.for_each_run([&](Run run) { groups.name({run.first + landing.shift, run.last + landing.shift}); });
  }
  groups.settle();
  return groups;
}

void ListedSchedule::visit_transfers(int step, const TransferVisitor& visit) const {
  constexpr std::size_t portion = 256;
  const std::span<const Builder::Entry> entries = listed_.entries_of(step);
  std::vector<Transfer> some;
  some.reserve(std::min(portion, entries.size()));
  for (const Builder::Entry& entry : entries) {
    const std::uint32_t landings = listed_.landings_of(entry);
    some.push_back({entry.src, entry.dst, listed_.blocks_of(entry), entry.op, entry.lane,
                    landings == 0 ? nullptr : &landings_[landings]});
    if (some.size() < portion && &entry != &entries.back()) continue;
    visit(some);
    some.clear();
  }
}

// The traces of a listed schedule: its moves, sorted by block. One pass counts the moves of each block, another puts
// each move at its place. Both go through the transfers in order, so the moves of a block stay in order, too.
//
// Example: the runs 0..2 and 1..1, with the window 0..2. A run counts as +1 where it begins and -1 behind its end: +1
// at 0 and -1 at 3; +1 at 1 and -1 at 2. The sums from the left are the moves of each block: 1, 2, 1.
//
// The window is divided so that a part has at most a million moves, or one block. Each part takes O(transfers + runs)
// for its pass and O(1) a move.

namespace {

constexpr std::int64_t most_moves_of_a_part = 1 << 20;

/// A move with what its segment says.
struct SteppedMove {
  BlockTransfer move;
  std::int32_t step;
  Op op;
};

}  // namespace

/// Calls visit(step, entry, run) for the part of each run inside the window, in the order of the transfers.
template <class Visit>
void ListedSchedule::for_each_run_in(BlockRange window, Visit&& visit) const {
  auto clip = [&](int step, const Builder::Entry& entry, Run run) {
    const Run part{std::max(run.first, window.first), std::min(run.last, window.end - 1)};
    if (part.first <= part.last) visit(step, entry, part);
  };
  for (int step = 0; step < steps(); ++step) {
    stop_point();
    for (const Builder::Entry& entry : listed_.entries_of(step)) {
      if (!entry.has_list) {
        clip(step, entry, entry.run);
        continue;
      }
      const std::span<const Run> runs = listed_.runs_of(listed_.list_of(entry));
      auto run = std::partition_point(runs.begin(), runs.end(), [&](Run r) { return r.last < window.first; });
      for (; run != runs.end() && run->first < window.end; ++run) clip(step, entry, *run);
    }
  }
}

void ListedSchedule::traces(BlockRange window, const TraceVisitor& visit) const {
  if (groups() != nullptr) return Schedule::traces(window, visit);
  std::vector<std::int64_t> moves(static_cast<std::size_t>(window.size()) + 1);
  auto of = [&, first = window.first](Block block) -> std::int64_t& {
    return moves[static_cast<std::size_t>(block - first)];
  };
  for_each_run_in(window, [&](int, const Builder::Entry&, Run run) { ++of(run.first), --of(run.last + 1); });
  std::partial_sum(moves.begin(), moves.end(), moves.begin());
  for (BlockRange part{window.first, window.first}; part.first < window.end; part.first = part.end) {
    std::int64_t sorted = of(part.end++);
    while (part.end < window.end && sorted + of(part.end) <= most_moves_of_a_part) sorted += of(part.end++);
    visit_sorted(part, {&of(part.first), static_cast<std::size_t>(part.size())}, visit);
  }
}

/// Visits the traces of blocks that have so many `moves`.
void ListedSchedule::visit_sorted(BlockRange part, std::span<const std::int64_t> moves,
                                  const TraceVisitor& visit) const {
  std::vector<std::size_t> next(moves.size());  // by block: where its next move goes
  std::exclusive_scan(moves.begin(), moves.end(), next.begin(), std::size_t{0});
  std::vector<SteppedMove> sorted(next.back() + static_cast<std::size_t>(moves.back()));
  for_each_run_in(part, [&](int step, const Builder::Entry& entry, Run run) {
    for (Block b = run.first; b <= run.last; ++b)
      sorted[next[static_cast<std::size_t>(b - part.first)]++] = {{entry.src, entry.dst}, step, entry.op};
  });
  Trace trace;
  std::size_t begin = 0;
  for (Block b = part.first; b < part.end; ++b) {
    trace.clear();
    const std::size_t end = next[static_cast<std::size_t>(b - part.first)];
    for (; begin < end; ++begin) trace.add(sorted[begin].step, sorted[begin].op, sorted[begin].move);
    visit(b, trace);
  }
}

namespace {

class Renaming {
 public:
  Renaming(const Header& header, const std::vector<Block>& name) : header_(header), name_(name) {
    assert(header.scratch == 0 || header.scratch == header.blocks);
  }

  Header header() const {
    Header renamed = header_;
    renamed.owners.resize(name_.size());
    for (std::size_t b = 0; b < name_.size(); ++b)
      renamed.owners[static_cast<std::size_t>(name_[b])] = header_.owner(static_cast<Block>(b));
    return renamed;
  }

  void add(const Transfer& t, ListedSchedule::Builder& builder) const {
    if (t.landings != nullptr) return add_landing(t, builder);
    std::vector<Run> runs;
    for_each_block(t.blocks, [&](Block b) { runs.push_back({of(b), of(b)}); });
    normalise(runs);
    builder.add(t.src, t.dst, runs, t.op, t.lane);
  }

 private:
  Block of(Block block) const {
    const Block first = block < header_.blocks ? 0 : header_.blocks;
    return first + name_[static_cast<std::size_t>(block - first)];
  }

  template <class Visit>
  void for_each_block(const BlockSet& set, Visit&& visit) const {
    set.for_each_block({0, header_.all_blocks()}, visit);
  }

  void add_landing(const Transfer& t, ListedSchedule::Builder& builder) const {
    std::vector<ListedSchedule::Builder::LandedRun> landed;
    t.for_each_landing([&](const BlockSet& set, Block shift) {
      for_each_block(set, [&](Block b) { landed.push_back({{of(b), of(b)}, of(b + shift)}); });
    });
    builder.add(t.src, t.dst, landed, t.op, t.lane);
  }

  const Header& header_;
  const std::vector<Block>& name_;
};

}  // namespace

SchedulePtr with_renamed_blocks(const Schedule& schedule, const std::vector<Block>& name) {
  const Renaming renaming(schedule.header(), name);
  ListedSchedule::Builder builder;
  for (int step = 0; step < schedule.steps(); ++step) {
    builder.begin_step();
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some) renaming.add(t, builder);
    });
  }
  return std::make_shared<ListedSchedule>(renaming.header(), std::move(builder));
}

}  // namespace onceover::schedules
