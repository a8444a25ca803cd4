#include "viz/whereabouts.h"

#include <algorithm>

#include "viz/block_trace.h"

namespace onceover::viz {

namespace {

struct MoveOfStep {
  Op op;
  BlockTransfer cells;
};

std::map<int, std::vector<MoveOfStep>> moves_by_step(const Trace& trace) {
  std::map<int, std::vector<MoveOfStep>> moves;
  trace.for_each_move([&](int step, Op op, BlockTransfer move) { moves[step].push_back({op, move}); });
  return moves;
}

}  // namespace

Whereabouts::Whereabouts(const Schedule& schedule, Block block, Rank contributor) {
  const Rank ranks = schedule.header().ranks;
  std::map<Rank, int> since{{contributor, 0}};  // of the cells that hold it, from which step on
  const auto leave = [&](Rank cell, int end) {
    stays_[cell % ranks].push_back({since.at(cell), end});
    since.erase(cell);
  };
  BlockTrace trace(schedule, block);
  for (const auto& [step, moves] : moves_by_step(trace.before(schedule.steps()))) {
    std::set<Rank> come, go;
    for (const auto& [op, cells] : moves) {
      const bool brings = since.contains(cells.src);
      if (brings) legs_.insert({step, cells.src % ranks, cells.dst % ranks});
      if (brings) come.insert(cells.dst);
      if (!brings && op == Op::copy && since.contains(cells.dst)) go.insert(cells.dst);
    }
    for (const Rank cell : go) leave(cell, step + 1);
    for (const Rank cell : come) since.emplace(cell, step + 1);
  }
  while (!since.empty()) leave(since.begin()->first, schedule.steps());
}

}  // namespace onceover::viz
