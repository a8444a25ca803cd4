// Moves of blocks, as a solver finds them, and a right schedule that is always there.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "optimum/schedule_question.h"
#include "schedules/listed_schedule.h"

namespace onceover::optimum {

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

namespace {

/// How many links lead from `root` to each rank, or (if `is_inward`) to `root`; and the rank before it on the way.
struct Tree {
  std::vector<int> depth;
  std::vector<Rank> parent;
  int height = 0;
};

Tree tree_of(const ScheduleQuestion& question, Rank root, bool is_inward) {
  const auto n = static_cast<std::size_t>(question.header.ranks);
  Tree tree{std::vector<int>(n, -1), std::vector<Rank>(n, -1)};
  tree.depth[static_cast<std::size_t>(root)] = 0;
  std::vector<Rank> reached{root};
  for (std::size_t k = 0; k < reached.size(); ++k) {
    const Rank u = reached[k];
    tree.height = tree.depth[static_cast<std::size_t>(u)];
    for (Rank v = 0; v < question.header.ranks; ++v) {
      const auto to = static_cast<std::size_t>(v);
      if (tree.depth[to] >= 0 || !(is_inward ? question.may_send(v, u) : question.may_send(u, v))) continue;
      tree.depth[to] = tree.height + 1;
      tree.parent[to] = u;
      reached.push_back(v);
    }
  }
  return tree;
}

/// Adds the moves of a block along a tree, from step `first` on. Returns the step after the last.
int spread(const ScheduleQuestion& question, Rank root, Block b, int first, std::vector<TimedMove>& moves) {
  const Tree tree = tree_of(question, root, false);
  for (Rank v = 0; v < question.header.ranks; ++v)
    if (v != root)
      moves.push_back({first + tree.depth[static_cast<std::size_t>(v)] - 1, tree.parent[static_cast<std::size_t>(v)], v,
                       b, Op::copy});
  return first + tree.height;
}

int gather(const ScheduleQuestion& question, Rank root, Block b, std::vector<TimedMove>& moves) {
  const Tree tree = tree_of(question, root, true);
  for (Rank v = 0; v < question.header.ranks; ++v)
    if (v != root)
      moves.push_back({tree.height - tree.depth[static_cast<std::size_t>(v)], v,
                       tree.parent[static_cast<std::size_t>(v)], b, Op::reduce});
  return tree.height;
}

/// Spreads each step over as many as the ports need.
std::vector<TimedMove> spaced(std::vector<TimedMove> moves, const std::optional<int>& ports) {
  if (!ports) return moves;
  std::sort(moves.begin(), moves.end(), [](const TimedMove& a, const TimedMove& b) {
    return std::tie(a.step, a.src, a.dst, a.op) < std::tie(b.step, b.src, b.dst, b.op);
  });
  std::map<std::pair<int, Rank>, int> sends, receives;
  const TimedMove* last = nullptr;
  int first = 0, end = 0, before = -1, now = 0;  // steps taken, and that of the message at hand
  for (TimedMove& m : moves) {
    const TimedMove was = m;
    if (was.step != before) first = end;
    if (last == nullptr || was.step != before || last->src != m.src || last->dst != m.dst || last->op != m.op) {
      for (now = first; sends[{now, m.src}] == *ports || receives[{now, m.dst}] == *ports;) ++now;
      ++sends[{now, m.src}];
      ++receives[{now, m.dst}];
    }
    before = was.step;
    m.step = now;
    end = std::max(end, now + 1);
    last = &m;
  }
  return moves;
}

}  // namespace

void limit_to(const std::vector<TimedMove>& moves, ScheduleQuestion& question) {
  std::set<std::tuple<int, Rank, Rank, Op>> messages;
  std::map<Rank, int> volumes;
  std::map<std::pair<int, Rank>, int> sends, receives;
  int steps = 0, ports = 0, volume = 0;
  for (const TimedMove& m : moves) {
    steps = std::max(steps, m.step + 1);
    volume = std::max(volume, ++volumes[m.src]);
    if (!messages.insert({m.step, m.src, m.dst, m.op}).second) continue;
    ports = std::max({ports, ++sends[{m.step, m.src}], ++receives[{m.step, m.dst}]});
  }
  question.steps = steps;
  question.ports = ports;
  question.volume = volume;
}

std::vector<TimedMove> known_moves(const ScheduleQuestion& question) {
  const Header& header = question.header;
  const Contract& promise = contract(header.collective);
  std::vector<TimedMove> moves;
  for (Block b = 0; b < header.blocks; ++b) {
    if (is_summing(header.collective))
      spread(question, 0, b, gather(question, 0, b, moves), moves);
    else if (is_gathering(header.collective))
      gather(question, header.holder(promise.ends, b), b, moves);
    else
      spread(question, header.holder(promise.begins, b), b, 0, moves);
  }
  return spaced(useful(header, std::move(moves)), question.ports);
}

}  // namespace onceover::optimum
