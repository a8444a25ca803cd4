// Broadcast and reduce along Swing's peers.

#include "schedules/algorithms/swing_peers.h"

namespace onceover {

namespace {

Axis send_one(Rank p, Rank from, Rank to) {
  return {.indices = Indices::only(0),
          .ring = p,
          .from = Place::at(from),
          .to = Place::at(to),
          .blocks = Blocks::all(1),
          .extent = 1,
          .rank_step = 1};
}

}  // namespace

PatternedSchedule::Builder swing_broadcast(Rank p) {
  PatternedSchedule::Builder plan;
  const Rank n = p % 2 == 0 ? p : p - 1;  // an odd one out is served by the root, at the last step
  std::vector<Rank> holders{0};
  std::vector<bool> holds(static_cast<std::size_t>(p));
  holds[0] = true;
  const int steps = ceil_log2(n);
  for (int s = 0; s < steps; ++s) {
    plan.begin_step();
    const std::size_t count = holders.size();
    for (std::size_t k = 0; k < count; ++k) {
      const Rank peer = swing_peer(holders[k], s, n);
      if (holds[static_cast<std::size_t>(peer)]) continue;
      holds[static_cast<std::size_t>(peer)] = true;
      holders.push_back(peer);
      plan.add(send_one(p, holders[k], peer), Op::copy);
    }
    if (n != p && s + 1 == steps) plan.add(send_one(p, 0, n), Op::copy);
  }
  return plan;
}

}  // namespace onceover
