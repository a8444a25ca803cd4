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

/// The move of some block of a window, in the order of the steps.
struct Passing {
  Block block;
  int step;
  Op op;
  BlockTransfer move;
};

/// How many moves are sorted at a time; a single block may have more.
constexpr std::uint64_t most_sorted_moves = 1 << 20;

std::uint64_t count_moves(const Schedule& schedule, BlockRange window) {
  std::uint64_t moves = 0;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers) moves += static_cast<std::uint64_t>(t.blocks.count_in(window));
  }
  return moves;
}

std::vector<Passing> passing_moves(const Schedule& schedule, BlockRange window) {
  std::vector<Passing> passing;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.blocks.for_each_block(window, [&](Block b) { passing.push_back({b, step, t.op, {t.src, t.dst}}); });
  }
  return passing;
}

/// Positions of `passing`, sorted by block and otherwise in order. Those of block b begin at starts[b - window.first].
struct ByBlock {
  std::vector<std::size_t> starts;
  std::vector<std::size_t> positions;
};

ByBlock sort_by_block(const std::vector<Passing>& passing, BlockRange window) {
  ByBlock sorted{std::vector<std::size_t>(static_cast<std::size_t>(window.size()) + 1),
                 std::vector<std::size_t>(passing.size())};
  auto slot = [&](const Passing& p) { return static_cast<std::size_t>(p.block - window.first); };
  for (const Passing& p : passing) ++sorted.starts[slot(p) + 1];
  for (std::size_t k = 1; k < sorted.starts.size(); ++k) sorted.starts[k] += sorted.starts[k - 1];
  std::vector<std::size_t> next = sorted.starts;
  for (std::size_t k = 0; k < passing.size(); ++k) sorted.positions[next[slot(passing[k])]++] = k;
  return sorted;
}

}  // namespace

void Schedule::transfers(int step, std::vector<Transfer>& out) const {
  out.clear();
  visit_transfers(step, [&](std::span<const Transfer> some) {
    stop_point();
    out.insert(out.end(), some.begin(), some.end());
  });
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
  const std::vector<Passing> passing = passing_moves(*this, window);
  const ByBlock sorted = sort_by_block(passing, window);
  Trace trace;
  for (Block b = window.first; b < window.end; ++b) {
    trace.clear();
    const auto slot = static_cast<std::size_t>(b - window.first);
    for (std::size_t k = sorted.starts[slot]; k < sorted.starts[slot + 1]; ++k) {
      const Passing& p = passing[sorted.positions[k]];
      BlockTransfer* move = trace.room(1);
      *move = p.move;
      trace.commit(1);
      trace.end_segment(p.step, p.op);
    }
    visit(b, trace);
  }
}

}  // namespace onceover::schedules
