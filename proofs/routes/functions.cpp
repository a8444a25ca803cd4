#include "proofs/routes/functions.h"

#include <algorithm>

namespace onceover::proofs {

namespace {

Rank power(int exponent) {
  return Rank{1} << exponent;
}

/// Nat.log2_up
int log2_up(Rank p) {
  int steps = 0;
  while (power(steps) < p) ++steps;
  return steps;
}

Rank modulo(std::int64_t x, Rank p) {
  const std::int64_t rest = x % p;
  return static_cast<Rank>(rest < 0 ? rest + p : rest);
}

/// The same peers, the steps in reverse. (Trees.v: reversed)
Peer reversed(int steps, const Peer& peer) {
  return [=](Rank x, int t) { return peer(x, steps - 1 - t); };
}

/// Rounds over the dimensions from `first`, leaving out those that are done. (Tori.v: round_robin)
std::vector<int> round_robin(const std::vector<RoutesPtr>& sides, std::size_t first) {
  std::vector<int> order;
  int rounds = 0;
  for (const RoutesPtr& side : sides) rounds = std::max(rounds, side->steps());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < sides.size(); ++k) {
      const std::size_t dimension = (first + k) % sides.size();
      if (round < sides[dimension]->steps()) order.push_back(static_cast<int>(dimension));
    }
  return order;
}

/// One dimension after the other. (TreeRoute.v: in_turn)
std::vector<int> in_turn(const std::vector<RoutesPtr>& sides) {
  std::vector<int> order;
  for (std::size_t k = 0; k < sides.size(); ++k)
    order.insert(order.end(), static_cast<std::size_t>(sides[k]->steps()), static_cast<int>(k));
  return order;
}

// Swing

/// SwingPaths.v: rho
std::int64_t rho(int step) {
  std::int64_t sum = 1, term = 1;
  for (int k = 1; k <= step; ++k) sum += term *= -2;
  return sum;
}

/// SwingAll.v: swing_peer
Peer swing_peer(Rank p, bool mirrored) {
  return [=](Rank x, int s) { return modulo((x % 2 == 0) == mirrored ? x - rho(s) : x + rho(s), p); };
}

/// Half of the remaining ranks at each step, rounded up, and all in the last one. (Factors.v: half_turn)
std::vector<int> half_turns(int steps, Rank ranks) {
  std::vector<int> turns;
  for (int s = 0; s < steps; ++s) {
    const auto left = static_cast<std::size_t>(ranks) - turns.size();
    turns.insert(turns.end(), s + 1 < steps ? (left + 1) / 2 : left, s);
  }
  return turns;
}

/// SwingAll.v: swing
RoutesPtr swing(Rank p, bool mirrored) {
  if (p == 1) return alone();
  const Rank even = p - p % 2;
  const int steps = log2_up(even);
  RoutesPtr routes = along_peers(even, steps, even, swing_peer(even, mirrored));
  return p == even ? routes : with_odd_one(std::move(routes), half_turns(steps, even));
}

/// Towards rank 0 only. (SwingTrees.v: tree)
RoutesPtr swing_tree(Rank p, bool mirrored) {
  if (p == 1) return alone();
  const Rank even = p - p % 2;
  const int steps = log2_up(even);
  RoutesPtr routes = along_peers(even, steps, 1, reversed(steps, swing_peer(even, mirrored)));
  return p == even ? routes : with_odd_one(std::move(routes), std::vector<int>(static_cast<std::size_t>(even), 0));
}

using SideRoutes = RoutesPtr (*)(Rank side, bool mirrored);
enum class Direction { round_robin, reversed };

/// Lane l begins with dimension l mod D; lanes from D on are mirrored. (SwingAll.v: swing_lane; SwingTrees.v:
/// tree_lane)
RoutesPtr swing_lanes(const Sides& sides, int lanes, SideRoutes side_routes, Direction direction) {
  std::vector<RoutesPtr> all;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane) {
    std::vector<RoutesPtr> dimensions;
    for (const Rank side : sides) dimensions.push_back(side_routes(side, sides.size() <= lane));
    std::vector<int> order = round_robin(dimensions, lane % sides.size());
    if (direction == Direction::reversed) std::reverse(order.begin(), order.end());
    all.push_back(torus_of(std::move(dimensions), order));
  }
  return laned(std::move(all));
}

/// Catalogue.v: exchanged
Rank exchanged(Rank x, int step) {
  return x ^ power(step);
}

/// Turned.v: near, far. From d to the next one towards 0, at step t.
Route near(int steps) {
  return [=](int t, Rank d) {
    const Rank width = power(steps - 1 - t);
    return width <= d && d < 2 * width ? std::optional(d - width) : std::nullopt;
  };
}

std::optional<Rank> far(int t, Rank d) {
  return d % power(t) == 0 && d % power(t + 1) != 0 ? std::optional(d - power(t)) : std::nullopt;
}

/// How many are left of p after t steps. (Folding.v: left)
Rank left(Rank p, int t) {
  for (int k = 0; k < t; ++k) p = (p + 1) / 2;
  return p;
}

/// Exchanges of whole vectors, a phase each. (Exchange.v: exchanges)
RoutedSchedule exchanges(Rank p, int steps, const Peer& peer) {
  RoutedSchedule schedule{p, 1};
  for (int t = 0; t < steps; ++t)
    schedule.phases.push_back({exchange(p, [&](Rank x) { return peer(x, t); }), Op::reduce});
  return schedule;
}

}  // namespace

RoutesPtr swing_routes(const Sides& sides, int lanes) {
  return swing_lanes(sides, lanes, swing, Direction::round_robin);
}

RoutesPtr swing_tree_routes(const Sides& sides, int lanes) {
  return swing_lanes(sides, lanes, swing_tree, Direction::reversed);
}

RoutesPtr ring_routes(Rank p) {
  return along_peers(p, p - 1, p, [=](Rank x, int) { return modulo(x + 1, p); });
}

RoutesPtr doubling_near_routes(Rank p) {
  return along_peers(p, log2_up(p), p, exchanged);
}

RoutesPtr doubling_far_routes(Rank p) {
  return along_peers(p, log2_up(p), p, reversed(log2_up(p), exchanged));
}

RoutesPtr bucket_routes(const Sides& sides) {
  std::vector<RoutesPtr> rings;
  for (const Rank side : sides) rings.push_back(ring_routes(side));
  const std::vector<int> order = in_turn(rings);
  return torus_of(std::move(rings), order);
}

RoutesPtr bruck_near_routes(Rank p) {
  return turned(p, log2_up(p), p, near(log2_up(p)));
}

RoutesPtr bruck_far_routes(Rank p) {
  return turned(p, log2_up(p), p, far);
}

RoutesPtr binomial_routes(Rank p) {
  return turned(p, log2_up(p), 1, near(log2_up(p)));
}

RoutesPtr folding_routes(Rank p) {
  return turned(p, log2_up(p), p, [=](int t, Rank d) {
    const Rank before = left(p, t), after = left(p, t + 1);
    return after <= d && d < before ? std::optional(d - before / 2) : std::nullopt;
  });
}

RoutesPtr folding_group_routes(const Sides& extents) {
  std::vector<RoutesPtr> foldings;
  for (const Rank extent : extents) foldings.push_back(folding_routes(extent));
  const std::vector<int> order = in_turn(foldings);
  return torus_of(std::move(foldings), order);
}

RoutedSchedule swing_latency_exchanges(Rank p) {
  return exchanges(p, log2_up(p), swing_peer(p, false));
}

RoutedSchedule recursive_doubling_exchanges(Rank p) {
  return exchanges(p, log2_up(p), exchanged);
}

std::optional<int> power_of(Rank p) {
  const int a = log2_up(p);
  return power(a) == p ? std::optional(a) : std::nullopt;
}

}  // namespace onceover::proofs
