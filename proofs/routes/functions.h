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

/// Rings.v: along lines, and along the Hamiltonian cycles of a torus that has them
bool has_cycles(const Sides& sides);
RoutesPtr ring_lanes(const Sides& sides, int lanes);
std::vector<Rank> ring_owners(const Sides& sides, int lanes);
RoutesPtr chain_routes(Rank p);

/// Paced.v
RoutesPtr ring_by_turns_routes(Rank p);
RoutesPtr bucket_lanes(const Sides& sides, int lanes);

/// Turned.v
RoutesPtr bruck_near_routes(Rank p);
RoutesPtr bruck_far_routes(Rank p);

/// Pat.v: with aggregation 2^a, far or near edges of the subtrees first
RoutesPtr pat_routes(Rank p, int a, bool near);

/// Rooted.v: what serves rank 0 of a torus serves the root, when all ranks move along with it.
RoutesPtr moved(RoutesPtr routes, const Sides& sides, Rank root);

/// Carried.v: scatter and gather with any root, and alltoall. By the digits of the distance, or the whole way at once,
/// `batch` distances a step
RoutesPtr near_walk_routes(Collective collective, Rank p, Rank radix, Rank root);
RoutesPtr far_walk_routes(Collective collective, Rank p, Rank radix, Rank root);
RoutesPtr straight_routes(Collective collective, Rank p, Rank batch);
RoutesPtr pairwise_routes(Rank p);

/// Knomial.v: towards rank 0
RoutesPtr near_tree_routes(Rank p, Rank radix);
RoutesPtr far_tree_routes(Rank p, Rank radix);

/// Folding.v
RoutesPtr folding_routes(Rank p);
RoutesPtr folding_group_routes(const Sides& extents);

/// Circulant.v: every owner's routes, and towards rank 0
RoutesPtr circulant_routes(Rank p);
RoutesPtr circulant_tree_routes(Rank p);

/// CirculantBlocks.v: n blocks towards rank 0
RoutesPtr circulant_block_routes(Rank p, Block n);

/// Bine.v: every owner's routes, and towards rank 0
RoutesPtr bine_routes(Rank p, bool halving);
RoutesPtr bine_tree_routes(Rank p, bool halving);

/// Folded.v: on any torus, with lanes; on a line with neighbours folded
enum class Peers { near_first, far_first };
RoutesPtr rabenseifner_routes(Peers peers, const Sides& sides, int lanes);
std::vector<Rank> mirrored_owners(const Sides& sides, int lanes);  // Mirrored.v
RoutesPtr rabenseifner_beside_routes(Peers peers, Rank p);

/// Elimination.v
RoutesPtr elimination_routes(Rank p);
RoutesPtr elimination_torus_routes(const Sides& sides);  // EliminationTori.v

/// Latency.v
RoutedSchedule recursive_doubling_vectors(const Sides& sides, int lanes);
RoutedSchedule doubling_beside_vectors(Rank p);
RoutedSchedule swing_latency_vectors(const Sides& sides, int lanes);

/// Spread.v: in ceil(log2 p) steps, where there is room for the holders of all runs
bool has_room_to_spread(Rank p);
RoutedSchedule spread_vectors(Rank p);

// Parts that both files of functions need.
Rank modulo(std::int64_t x, Rank p);  // at least 0
Rank power(int exponent);
int log2_up(Rank p);
std::vector<int> round_robin(const std::vector<int>& steps, std::size_t first);
std::vector<Rank> mirror(const Sides& sides);
Rank exchanged(Rank x, int step);
Peer swing_peer(Rank p, bool mirrored);
Peer reversed(int steps, const Peer& peer);
std::vector<int> half_turns(int steps, Rank ranks);
Rank left(Rank p, int t);

/// The a of p = 2^a; nothing if p is none.
std::optional<int> power_of(Rank p);

/// RemovedOnce.v: removed_steps. O(sum of extents) memory.
RoutedSchedule removed_steps_schedule(const Sides& extents, int removed);

}  // namespace onceover::proofs
