#include "proofs/timed_moves.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "schedules/listed_schedule.h"

namespace onceover::proofs {

bool is_gathering(Collective collective) {
  const Contract& promise = contract(collective);
  return promise.begins == Holders::everyone && promise.ends != Holders::everyone;
}

bool is_summing(Collective collective) {
  return collective == Collective::allreduce;
}

std::vector<TimedMove> useful(const Header& header, std::vector<TimedMove> moves) {
  std::sort(moves.begin(), moves.end(), [](const TimedMove& a, const TimedMove& b) { return a.step > b.step; });
  std::set<std::pair<Rank, Block>> live;
  const Holders ends = contract(header.collective).ends;
  for (Rank r = 0; r < header.ranks; ++r)
    for (Block b = 0; b < header.blocks; ++b)
      if (header.holds(ends, r, b)) live.insert({r, b});
  std::vector<TimedMove> kept;
  for (auto first = moves.begin(); first != moves.end();) {
    const auto last = std::find_if(first, moves.end(), [&](const TimedMove& m) { return m.step != first->step; });
    const auto begin = static_cast<std::ptrdiff_t>(kept.size());
    std::copy_if(first, last, std::back_inserter(kept), [&](const TimedMove& m) {
      return live.contains({m.dst, m.block});
    });
    for (auto m = kept.begin() + begin; m != kept.end(); ++m)
      if (m->op == Op::copy) live.erase({m->dst, m->block});
    for (auto m = kept.begin() + begin; m != kept.end(); ++m) live.insert({m->src, m->block});
    first = last;
  }
  return kept;
}

SchedulePtr schedule_of(const Header& header, const std::vector<TimedMove>& moves) {
  std::map<int, std::map<std::tuple<Rank, Rank, Op>, std::set<Block>>> steps;
  for (const TimedMove& m : moves) steps[m.step][{m.src, m.dst, m.op}].insert(m.block);
  ListedSchedule::Builder builder;
  for (const auto& [step, messages] : steps) {
    builder.begin_step();
    for (const auto& [message, blocks] : messages) {
      std::vector<Run> runs;
      for (const Block b : blocks)
        if (!runs.empty() && runs.back().last + 1 == b)
          runs.back().last = b;
        else
          runs.push_back({b, b});
      const auto& [src, dst, op] = message;
      builder.add(src, dst, runs, op);
    }
  }
  return std::make_shared<ListedSchedule>(header, std::move(builder));
}

}  // namespace onceover::proofs
