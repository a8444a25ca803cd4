// The functions of the theory, by the names that they have in Coq: peers, orders of steps, trees and cycles, put
// together from the parts in routes.h. Each comment names the definition; read the two side by side.
//
// Example: swing(7) is Swing among six ranks, whose peers are x + rho(s) for even x and x - rho(s) for odd x, with one
// rank more that exchanges a block with half of the others at each step, rounded up.
//
// They are formulas and loops over ranks and steps. What a row costs is said in routes.h.

#include "proofs/routes/functions.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace onceover::proofs {

Rank modulo(std::int64_t x, Rank p) {
  const std::int64_t rest = x % p;
  return static_cast<Rank>(rest < 0 ? rest + p : rest);
}

namespace {

/// SwingPaths.v: rho
std::int64_t rho(int step) {
  std::int64_t sum = 1, term = 1;
  for (int k = 1; k <= step; ++k) sum += term *= -2;
  return sum;
}

}  // namespace

Rank power(int exponent) {
  return Rank{1} << exponent;
}

/// Nat.log2_up
int log2_up(Rank p) {
  int steps = 0;
  while (power(steps) < p) ++steps;
  return steps;
}

/// Rounds over the dimensions from `first`, leaving out those that are done. (Tori.v: round_robin)
std::vector<int> round_robin(const std::vector<int>& steps, std::size_t first) {
  std::vector<int> order;
  int rounds = 0;
  for (const int of_one : steps) rounds = std::max(rounds, of_one);
  for (int round = 0; round < rounds; ++round)
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const std::size_t dimension = (first + k) % steps.size();
      if (round < steps[dimension]) order.push_back(static_cast<int>(dimension));
    }
  return order;
}

/// SwingAll.v: swing_peer
Peer swing_peer(Rank p, bool mirrored) {
  std::vector<std::int64_t> by_step;
  for (int s = 0; s < log2_up(p); ++s) by_step.push_back(rho(s));
  return [=](Rank x, int s) {
    const std::int64_t far = by_step[at(s)];
    return modulo((x % 2 == 0) == mirrored ? x - far : x + far, p);
  };
}

/// Catalogue.v: exchanged
Rank exchanged(Rank x, int step) {
  return x ^ power(step);
}

/// The seats of the mirror image: every coordinate c takes the part of -c. (Relabelled.v: mirror)
std::vector<Rank> mirror(const Sides& sides) {
  std::vector<Rank> seats{0};
  for (const Rank side : sides) {
    std::vector<Rank> more;
    for (const Rank seat : seats)
      for (Rank c = 0; c < side; ++c) more.push_back(seat * side + modulo(-c, side));
    seats = std::move(more);
  }
  return seats;
}

/// The same peers, the steps in reverse. (Trees.v: reversed)
Peer reversed(int steps, const Peer& peer) {
  return [=](Rank x, int t) { return peer(x, steps - 1 - t); };
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

/// How many are left of p after t steps. (Folding.v: left)
Rank left(Rank p, int t) {
  for (int k = 0; k < t; ++k) p = (p + 1) / 2;
  return p;
}

namespace {

/// One dimension after the other, from `first`. (TreeRoute.v: in_turn; Paced.v: bucket_order)
std::vector<int> in_turn(const std::vector<RoutesPtr>& sides, std::size_t first = 0) {
  std::vector<int> order;
  for (std::size_t k = 0; k < sides.size(); ++k) {
    const std::size_t dimension = (first + k) % sides.size();
    order.insert(order.end(), at(sides[dimension]->steps()), static_cast<int>(dimension));
  }
  return order;
}

// Swing

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
    std::vector<int> steps;
    for (const RoutesPtr& dimension : dimensions) steps.push_back(dimension->steps());
    std::vector<int> order = round_robin(steps, lane % sides.size());
    if (direction == Direction::reversed) std::reverse(order.begin(), order.end());
    all.push_back(torus_of(std::move(dimensions), order));
  }
  return laned(std::move(all));
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

// Hamiltonian cycles: which rank sits at position i (Cycles.v: fits, first_seat, second_seat, turn)

bool fits(Rank r, Rank c) {
  return r >= 2 && c >= 2 && r % c == 0 && std::gcd(r, c - 1) == 1;
}

Rank first_seat(Rank c, Rank i) {
  return i / c * c + modulo(i % c - i / c, c);
}

Rank second_seat(Rank r, Rank c, Rank i) {
  return modulo(std::int64_t{i / c} * (c - 1) + i % c, r) * c + i / c % c;
}

Rank turn(Rank r, Rank c, Rank x) {
  return x % c * r + x / c;
}

/// The seats along each cycle. (Rings.v: cycles_of)
std::vector<std::vector<Rank>> cycles_of(const Sides& sides) {
  const Rank p = std::accumulate(sides.begin(), sides.end(), Rank{1}, std::multiplies<>());
  std::vector<std::vector<Rank>> cycles(sides.size());
  for (Rank i = 0; i < p; ++i) {
    if (sides.size() == 1) {
      cycles[0].push_back(i);
    } else if (const Rank r = sides[0], c = sides[1]; fits(r, c)) {
      cycles[0].push_back(first_seat(c, i));
      cycles[1].push_back(second_seat(r, c, i));
    } else {
      cycles[0].push_back(turn(c, r, first_seat(r, i)));
      cycles[1].push_back(turn(c, r, second_seat(c, r, i)));
    }
  }
  return cycles;
}

/// A ring to the left, and its mirror image. (Rings.v: ring_left, ring_right)
RoutesPtr ring_left(Rank p) {
  return tree(
      p, p - 1, p, [](Rank d) { return d - 1; }, [=](Rank d) { return p - 1 - d; });
}

RoutesPtr ring_right(Rank p) {
  return relabelled(ring_left(p), mirror({p}), Renamed::ranks_and_owners);
}

// PAT's tree of 2^k offsets (Pat.v: parent, by_level, by_depth)

Rank parent(int k, Rank d) {
  if (k == 0) return 0;
  const Rank half = power(k - 1);
  if (d < half) return parent(k - 1, d);
  return d == half ? 0 : half + parent(k - 1, d - half);
}

int by_level(int k, Rank d) {
  if (k == 0) return 0;
  const Rank half = power(k - 1);
  return d == half ? 1 : 1 + by_level(k - 1, d < half ? d : d - half);
}

int by_depth(int k, Rank d) {
  if (k == 0 || d == 0) return 0;
  const Rank half = power(k - 1);
  return d < half ? half + by_depth(k - 1, d) : 1 + by_depth(k - 1, d - half);
}

/// 2^a subtrees of 2^k offsets. (Pat.v: tree_parent, reached, times_of)
struct PatTree {
  int a;
  int k;
  bool near;

  Rank parent(Rank d) const {
    const Rank size = power(k), h = d / size, y = d % size;
    return y == 0 ? proofs::parent(a, h) * size : h * size + proofs::parent(k, y);
  }
  int reached(Rank d) const {
    const Rank size = power(k), h = d / size, y = d % size;
    return y == 0 ? by_level(a, h) - 1 : a + (near ? y : by_depth(k, y)) - 1;
  }
};

/// Of the distance d, `walked(t, d)` are behind a block before step t.
using Walked = std::function<Rank(int t, Rank d)>;

/// Carried.v: levels
int levels(Rank radix, Rank p) {
  int n = 0;
  for (std::int64_t power = 1; power < p; power *= radix) ++n;
  return n;
}

std::int64_t raised(std::int64_t base, int exponent) {
  return exponent == 0 ? 1 : base * raised(base, exponent - 1);
}

/// Carried.v: near_walk, far_walk
Walked near_walk(Rank radix) {
  return [=](int t, Rank d) { return static_cast<Rank>(d % raised(radix, t)); };
}

Walked far_walk(Rank radix, int n) {
  return [=](int t, Rank d) { return static_cast<Rank>(d - d % raised(radix, n - t)); };
}

/// A walk of so many steps, backwards. (Knomial.v: back)
RoutesPtr back(Rank p, int steps, const Walked& walked) {
  return turned(p, steps, 1, [&](int t, Rank d) {
    const Rank after = walked(steps - t - 1, d);
    return walked(steps - t, d) == d && after != d ? std::optional(after) : std::nullopt;
  });
}

RoutesPtr walks(Collective collective, Rank p, Rank root, int steps, const Walked& walked) {
  const auto walk = [&](Rank origin, Rank owner, int t) { return (origin + walked(t, (owner + p - origin) % p)) % p; };
  if (collective == Collective::alltoall)
    return carried(p, p * p, steps, [&](int t, Block b) { return walk(b / p, b % p, t); });
  const bool is_back = collective == Collective::gather;
  return carried(p, p, steps, [&](int t, Block b) { return walk(root, b, is_back ? steps - t : t); });
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

// For odd p rank p-1 sends last. (Paced.v: ring_turns, ring_turn)
RoutesPtr ring_by_turns_routes(Rank p) {
  const int turns = 2 + p % 2;
  return paced(ring_routes(p), turns * (p - 1),
               [=](Rank x, int t) { return turns * t + (turns == 3 && x + 1 == p ? 2 : x % 2); });
}

// Lanes from D on go to the left. All wait until those on the longest side are done. (Paced.v: ring_way, bucket_lane)
RoutesPtr bucket_lanes(const Sides& sides, int lanes) {
  const int phase = *std::max_element(sides.begin(), sides.end()) - 1;
  std::vector<RoutesPtr> all;
  for (std::size_t lane = 0; lane < at(lanes); ++lane) {
    std::vector<RoutesPtr> rings;
    for (const Rank side : sides) {
      RoutesPtr ring = ring_routes(side);
      if (sides.size() <= lane) ring = relabelled(std::move(ring), mirror({side}), Renamed::ranks_and_owners);
      rings.push_back(paced(std::move(ring), phase, [](Rank, int t) { return t; }));
    }
    const std::vector<int> order = in_turn(rings, lane % sides.size());
    all.push_back(torus_of(std::move(rings), order));
  }
  return laned(std::move(all));
}

bool has_cycles(const Sides& sides) {
  if (sides.size() == 1) return true;
  return sides.size() == 2 && (fits(sides[0], sides[1]) || fits(sides[1], sides[0]));
}

// First all cycles to the right, then all to the left.
RoutesPtr ring_lanes(const Sides& sides, int lanes) {
  const auto cycles = cycles_of(sides);
  const auto p = static_cast<Rank>(cycles.front().size());
  std::vector<RoutesPtr> all;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane)
    all.push_back(
        relabelled(lane < cycles.size() ? ring_right(p) : ring_left(p), cycles[lane % cycles.size()], Renamed::ranks));
  return laned(std::move(all));
}

/// Block b of a lane is that of the rank in seat b. (Rings.v: ring_owner)
std::vector<Rank> ring_owners(const Sides& sides, int lanes) {
  const auto cycles = cycles_of(sides);
  std::vector<Rank> owners;
  for (std::size_t lane = 0; lane < static_cast<std::size_t>(lanes); ++lane) {
    const auto& cycle = cycles[lane % cycles.size()];
    owners.insert(owners.end(), cycle.begin(), cycle.end());
  }
  return owners;
}

RoutesPtr chain_routes(Rank p) {
  return tree(
      p, p - 1, 1, [](Rank d) { return d - 1; }, [=](Rank d) { return p - 1 - d; });
}

RoutesPtr bruck_near_routes(Rank p) {
  return turned(p, log2_up(p), p, near(log2_up(p)));
}

RoutesPtr bruck_far_routes(Rank p) {
  return turned(p, log2_up(p), p, far);
}

RoutesPtr moved(RoutesPtr routes, const Sides& sides, Rank root) {
  if (root == 0) return routes;  // all ranks sit on their own seats
  std::vector<Rank> seats{0};
  Rank gap = routes->ranks();
  for (const Rank side : sides) {
    gap /= side;
    std::vector<Rank> more;
    for (const Rank seat : seats)
      for (Rank c = 0; c < side; ++c) more.push_back(seat * side + modulo(c + root / gap, side));
    seats = std::move(more);
  }
  return relabelled(std::move(routes), std::move(seats), Renamed::ranks);
}

RoutesPtr near_walk_routes(Collective collective, Rank p, Rank radix, Rank root) {
  return walks(collective, p, root, levels(radix, p), near_walk(radix));
}

RoutesPtr far_walk_routes(Collective collective, Rank p, Rank radix, Rank root) {
  const int n = levels(radix, p);
  return walks(collective, p, root, n, far_walk(radix, n));
}

RoutesPtr near_tree_routes(Rank p, Rank radix) {
  return back(p, levels(radix, p), near_walk(radix));
}

RoutesPtr far_tree_routes(Rank p, Rank radix) {
  const int n = levels(radix, p);
  return back(p, n, far_walk(radix, n));
}

RoutesPtr straight_routes(Collective collective, Rank p, Rank batch) {
  const int steps = (p - 1 + batch - 1) / batch;
  return walks(collective, p, 0, steps, [=](int t, Rank d) { return d == 0 || t <= (d - 1) / batch ? 0 : d; });
}

RoutesPtr pairwise_routes(Rank p) {
  return tree(
      p, p - 1, p, [](Rank) { return 0; }, [=](Rank d) { return p - d - 1; });
}

RoutesPtr pat_routes(Rank p, int a, bool near) {
  const int levels = log2_up(p), top = std::min(a, levels);
  const PatTree tree_of_p{top, levels - top, near};
  std::vector<int> reached;  // at steps in which some rank sends: others are left out (Pat.v: busy)
  for (Rank d = 1; d < p; ++d) reached.push_back(tree_of_p.reached(d));
  std::sort(reached.begin(), reached.end());
  reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
  const auto steps = static_cast<int>(reached.size());
  const auto time = [&](Rank d) {
    const auto found = std::lower_bound(reached.begin(), reached.end(), tree_of_p.reached(d));
    return steps - 1 - static_cast<int>(found - reached.begin());
  };
  return tree(
      p, steps, p, [&](Rank d) { return tree_of_p.parent(d); }, time);
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

std::optional<int> power_of(Rank p) {
  const int a = log2_up(p);
  return power(a) == p ? std::optional(a) : std::nullopt;
}

}  // namespace onceover::proofs
