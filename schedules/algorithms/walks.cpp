// Makes the schedules of blocks that walk: groups the moves of a step into messages.

#include <algorithm>
#include <tuple>

#include "base/stop.h"
#include "schedules/algorithms/algorithms.h"
#include "schedules/listed_schedule.h"

namespace onceover::schedules {

namespace {

struct Walk {
  Rank origin;
  Block block;
};

/// The walk of each block, by its length. A gather's begins at the root, too, and is gone backwards.
std::vector<std::vector<Walk>> walks_of(const Header& header) {
  std::vector<std::vector<Walk>> walks(static_cast<std::size_t>(header.ranks));
  for (Block b = 0; b < header.blocks; ++b) {
    const Rank origin = header.collective == Collective::alltoall ? header.origin(b) : header.root;
    walks[static_cast<std::size_t>(around(header.owner(b) - origin, header.ranks))].push_back({origin, b});
  }
  return walks;
}

struct Move {
  Rank src;
  Rank dst;
  Block block;
  friend auto operator<=>(const Move&, const Move&) = default;
};

/// The moves of one step, by sender, receiver and block.
std::vector<Move> moves_between(const std::vector<std::vector<Walk>>& walks, int from, int to, const Walked& walked) {
  const auto p = static_cast<Rank>(walks.size());
  std::vector<Move> moves;
  for (Rank distance = 1; distance < p; ++distance) {
    const Rank before = walked(from, distance);
    const Rank after = walked(to, distance);
    if (before == after) continue;
    for (const Walk& walk : walks[static_cast<std::size_t>(distance)])
      moves.push_back({around(walk.origin + before, p), around(walk.origin + after, p), walk.block});
  }
  std::sort(moves.begin(), moves.end());
  return moves;
}

void add_step(ListedSchedule::Builder& plan, const std::vector<Move>& moves) {
  plan.begin_step();
  std::vector<Run> runs;
  for (std::size_t k = 0; k < moves.size(); ++k) {
    const Move& m = moves[k];
    if (runs.empty() || runs.back().last + 1 != m.block) runs.push_back({m.block, m.block});
    runs.back().last = m.block;
    if (k + 1 < moves.size() && moves[k + 1].src == m.src && moves[k + 1].dst == m.dst) continue;
    plan.add(m.src, m.dst, runs, Op::copy);
    runs.clear();
  }
}

}  // namespace

SchedulePtr walking(const Algorithm& row, const Request& request, int steps, const Walked& walked) {
  const Rank p = request.ranks();
  Header header = header_of(row, request, 1, request.collective == Collective::alltoall ? p * p : p);
  const auto walks = walks_of(header);
  const bool backwards = request.collective == Collective::gather;
  ListedSchedule::Builder plan;
  for (int step = 0; step < steps; ++step) {
    const int from = backwards ? steps - step : step;
    add_step(plan, moves_between(walks, from, backwards ? from - 1 : from + 1, walked));
  }
  return std::make_shared<ListedSchedule>(std::move(header), std::move(plan));
}

namespace {

/// A message of a tree, and the blocks that a scatter sends with it.
struct Branch {
  Rank src;
  Rank dst;
  int lane;
  std::vector<Run> runs = {};
};

/// The branches of each step. From the last step on, a branch has the blocks of all that lead on from its end.
std::vector<std::vector<Branch>> branches_of(const Schedule& broadcast, Rank ranks) {
  std::vector<std::vector<Branch>> steps(static_cast<std::size_t>(broadcast.steps()));
  std::vector<std::vector<Run>> below(static_cast<std::size_t>(ranks) * broadcast.header().lanes);
  for (int step = broadcast.steps(); step-- > 0;) {
    stop_point();
    auto& branches = steps[static_cast<std::size_t>(step)];
    broadcast.visit_transfers(step, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some) branches.push_back({t.src, t.dst, t.lane});
    });
    for (Branch& branch : branches) {
      const Block first = Block{branch.lane} * ranks;
      branch.runs = std::move(below[static_cast<std::size_t>(first + branch.dst)]);
      branch.runs.push_back({first + branch.dst, first + branch.dst});
      normalise(branch.runs);
      auto& above = below[static_cast<std::size_t>(first + branch.src)];
      above.insert(above.end(), branch.runs.begin(), branch.runs.end());
    }
  }
  return steps;
}

}  // namespace

SchedulePtr down_the_tree(const Algorithm& row, const Request& request, const Schedule& broadcast) {
  const int lanes = broadcast.header().lanes;
  auto steps = branches_of(broadcast, request.ranks());
  const bool backwards = request.collective == Collective::gather;
  if (backwards) std::reverse(steps.begin(), steps.end());
  ListedSchedule::Builder plan;
  for (const auto& branches : steps) {
    plan.begin_step();
    for (const Branch& b : branches)
      plan.add(backwards ? b.dst : b.src, backwards ? b.src : b.dst, b.runs, Op::copy, b.lane);
  }
  return std::make_shared<ListedSchedule>(header_of(row, request, lanes, Block{lanes} * request.ranks()),
                                          std::move(plan));
}

Walked by_lowest_digits(Rank radix) {
  return [=](int step, Rank distance) { return static_cast<Rank>(distance % power_of(radix, step)); };
}

Walked by_highest_digits(Rank radix, int digits) {
  return
      [=](int step, Rank distance) { return static_cast<Rank>(distance - distance % power_of(radix, digits - step)); };
}

}  // namespace onceover::schedules
