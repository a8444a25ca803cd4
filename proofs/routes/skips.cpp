// The theory's functions of circulant graphs and of Bine trees, as functions.cpp has those of other rows.
//
// Example: bine_routes(7, true) is Swing's butterfly among six ranks, and one rank more that exchanges with each of
// them; bine_routes(6, false) has the steps of the same peers in reverse.

#include "proofs/routes/functions.h"

namespace onceover::proofs {

namespace {

/// Circulant.v: circulant_left, for the first `owners` owners
RoutesPtr circulant_left(Rank p, Rank owners) {
  return turned(p, log2_up(p), owners, [=](int t, Rank d) {
    const Rank before = left(p, t), after = left(p, t + 1);
    return after <= d && d < before ? std::optional(d - after) : std::nullopt;
  });
}

/// An odd rank exchanges with rank x at step turns[x]. (Bine.v: bine_even, bine_with)
RoutesPtr bine_with(Rank p, Rank owners, bool halving, const std::function<std::vector<int>(int, Rank)>& turns) {
  if (p == 1) return alone();
  const Rank even = p - p % 2;
  const int steps = log2_up(even);
  const Peer peer = swing_peer(even, false);
  RoutesPtr routes = along_peers(even, steps, std::min(owners, even), halving ? peer : reversed(steps, peer));
  return p == even ? routes : with_odd_one(std::move(routes), turns(steps, even));
}

}  // namespace

RoutesPtr circulant_routes(Rank p) {
  return relabelled(circulant_left(p, p), mirror({p}), Renamed::ranks_and_owners);
}

RoutesPtr circulant_tree_routes(Rank p) {
  return circulant_left(p, 1);
}

RoutesPtr bine_routes(Rank p, bool halving) {
  return bine_with(p, p, halving, half_turns);
}

RoutesPtr bine_tree_routes(Rank p, bool halving) {
  return bine_with(p, 1, halving, [](int, Rank even) { return std::vector<int>(at(even), 0); });
}

}  // namespace onceover::proofs
