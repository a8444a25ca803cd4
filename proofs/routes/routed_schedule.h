// Schedules made of routes, as the theory in Coq makes them, and their comparison with those that are judged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "proofs/routes/routes.h"
#include "schedules/schedule.h"
#include "schedules/types.h"

namespace onceover::proofs {

// Takings: steps in which each place for a block takes from one place at most, of the same block. A rank has two such
// places: the block itself, and a copy of it in scratch. They are those of the theory in Coq (Copies.v).

/// The place that is taken from: of which rank, its copy or not, and how.
struct Source {
  Rank rank;
  bool is_copy;
  Op op;

  friend bool operator==(const Source&, const Source&) = default;
};

/// The source that rank x takes a block, or its copy, from; nothing if it takes none. Any thread. (Copies.v: taking)
using Taking = std::function<std::optional<Source>(Rank x, Block block, bool is_copy)>;

/// The steps, one after the other. The copy of block b is block `blocks` + b; if no place is a copy there are none.
struct Takings {
  bool has_copies = false;
  std::vector<Taking> steps = {};
};

/// Forwards along routes, with sums: a reduce-scatter. Or backwards, with copies: its time reversal, an allgather. Or
/// forwards with copies, of blocks that are carried. (Bridge.v: reduce_scatter; Reversal.v: allgather; Carried.v)
struct Phase {
  RoutesPtr routes;
  Op op = Op::reduce;
  bool backwards = false;

  /// The routes' step at the phase's step, and the other way around.
  int turned(int step) const { return backwards ? routes->steps() - 1 - step : step; }
};

/// Phases, one after the other, about the same ranks and blocks; then takings.
struct RoutedSchedule {
  Rank ranks;
  Block blocks;
  std::vector<Phase> phases = {};
  Takings takings = {};

  Block scratch() const { return takings.has_copies ? blocks : 0; }
  int steps() const;
};

/// The collective along these routes: a reduce-scatter or reduce, an allgather or broadcast, or an allreduce of both; a
/// scatter, gather or alltoall.
RoutedSchedule along(Collective collective, RoutesPtr routes);

/// The allreduce along these routes whose two halves meet in one step. (Merged.v: merged_allreduce)
RoutedSchedule merged_along(const RoutesPtr& routes);

/// A transfer of one block, which lands in `into`. If src = dst it stays on its rank.
struct BlockMove {
  int step;
  Rank src;
  Rank dst;
  Block block;
  Block into;
  Op op;
};

/// Visits all transfers, by step, then by rank and block. In phases the rank is the sender of a sum, or the receiver of
/// a copy; in takings it is the receiver, and a block comes before its copy.
/// O(ranks * blocks) time, of takings a step; 16 bytes for each rank and block.
void visit_moves(const RoutedSchedule& schedule, const std::function<void(const BlockMove&)>& visit);

/// How the transfers of `actual`, as its ranks send them, differ from those of `expected`, in a sentence without a full
/// stop; nothing if both have the same steps, and in each the same transfers: sender, receiver, block, where it lands,
/// and operation. Lanes and the order within a step don't count.
/// O(transfers + ranks * blocks) time, of takings O(ranks * blocks) a step; 5 bytes for each rank and block.
std::optional<std::string> difference(const Schedule& actual, const RoutedSchedule& expected, int threads = 1);

/// What a run has time for: so many block transfers and results (rank, block), and so many ranks.
inline constexpr std::uint64_t most_compared = 4'000'000;
inline constexpr Rank most_compared_ranks = most_routed;
bool is_too_large_to_compare(const Schedule& schedule);

}  // namespace onceover::proofs
