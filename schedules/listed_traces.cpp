// The traces of a listed schedule: its moves, sorted by block. One pass counts the moves of each block, another puts
// each move at its place. Both go through the transfers in order, so the moves of a block stay in order, too.
//
// Example: the runs 0..2 and 1..1, with the window 0..2. A run counts as +1 where it begins and -1 behind its end: +1
// at 0 and -1 at 3; +1 at 1 and -1 at 2. The sums from the left are the moves of each block: 1, 2, 1.
//
// The window is divided so that a part has at most a million moves, or one block. Each part takes O(transfers + runs)
// for its pass and O(1) a move.

#include <algorithm>
#include <numeric>

#include "base/stop.h"
#include "schedules/listed_schedule.h"

namespace onceover::schedules {

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

}  // namespace onceover::schedules
