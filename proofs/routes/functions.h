// The functions that the theorems of proofs/coq are about, one for each name there, as routes.
#pragma once

#include "proofs/routes/routed_schedule.h"

namespace onceover::proofs {

using Sides = std::vector<Rank>;

/// SwingAll.v: on a torus, with lanes; SwingTrees.v: the broadcast from rank 0, backwards.
RoutesPtr swing_routes(const Sides& sides, int lanes);
RoutesPtr swing_tree_routes(const Sides& sides, int lanes);

/// Catalogue.v
RoutesPtr ring_routes(Rank p);
RoutesPtr doubling_near_routes(Rank p);
RoutesPtr doubling_far_routes(Rank p);
RoutesPtr bucket_routes(const Sides& sides);

/// Turned.v
RoutesPtr bruck_near_routes(Rank p);
RoutesPtr bruck_far_routes(Rank p);
RoutesPtr binomial_routes(Rank p);

/// Folding.v
RoutesPtr folding_routes(Rank p);
RoutesPtr folding_group_routes(const Sides& extents);

/// Latency.v
RoutedSchedule swing_latency_exchanges(Rank p);
RoutedSchedule recursive_doubling_exchanges(Rank p);

/// The a of p = 2^a; nothing if p is none.
std::optional<int> power_of(Rank p);

}  // namespace onceover::proofs
