// Routes: for each block, when a rank passes it on and to whom. They are those of the theory in Coq (proofs/coq),
// written a second time, and share no code with schedules/algorithms.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedules/types.h"

namespace onceover::proofs {

using namespace schedules;

/// Ranks and blocks as places in a vector.
inline std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

/// Ranks and steps of routes are below this, so that a table of hops is small.
inline constexpr Rank most_routed = 65535;

/// When a rank passes its share of a block on, and to whom. The earlier hop is the lesser; `never` is the greatest.
class Hop {
 public:
  constexpr Hop() = default;  // never
  constexpr Hop(int step, Rank to) : code_(static_cast<std::uint32_t>(step) << 16 | static_cast<std::uint32_t>(to)) {}

  constexpr bool is_never() const { return code_ == never; }
  constexpr int step() const { return static_cast<int>(code_ >> 16); }
  constexpr Rank to() const { return static_cast<Rank>(code_ & 0xffff); }
  friend constexpr auto operator<=>(const Hop&, const Hop&) = default;

 private:
  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t code_ = never;
};

/// What the theory calls a factor: a route for each block of a reduce-scatter. A right route passes a block on once at
/// most, so a rank's part of all routes is a row of hops. A factor has a block for each of its ranks, block b for owner
/// b, or the first few of these alone.
class Routes {
 public:
  Routes(Rank ranks, Block blocks, int steps) : ranks_(ranks), blocks_(blocks), steps_(steps) {
    assert(ranks <= most_routed && steps <= most_routed);
  }
  virtual ~Routes() = default;
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  Rank ranks() const { return ranks_; }
  Block blocks() const { return blocks_; }
  int steps() const { return steps_; }

  /// What rank x does with each block. `row` has blocks() entries. Any thread. O(blocks), times dimensions.
  virtual void fill(Rank x, std::span<Hop> row) const = 0;

 private:
  Rank ranks_;
  Block blocks_;
  int steps_;
};

using RoutesPtr = std::shared_ptr<const Routes>;
using Peer = std::function<Rank(Rank x, int step)>;
using Route = std::function<std::optional<Rank>(int step, Rank x)>;

/// One rank, which has nothing to do. (Tori.v: alone)
RoutesPtr alone();

/// Peers at the last chance: at step t rank x passes a block on to its peer if that can still reach the owner
/// afterwards, and x itself can't. For the first `owners` owners. (LastChance.v: last_chance)
/// Memory: 4 bytes a rank and step; 4 bytes a rank, for each owner that is not another one turned.
RoutesPtr along_peers(Rank p, int steps, Rank owners, const Peer& peer);

/// A route to rank 0, turned to every owner. (Turned.v: turned)
RoutesPtr turned(Rank p, int steps, Rank owners, const Route& to_zero);

/// A tree to rank 0: rank d > 0 passes the block on to parent(d) at step time(d). For owner 0 alone, or turned to all.
/// (TreeRoute.v: tree_route)
RoutesPtr tree(Rank p, int steps, Rank owners, const std::function<Rank(Rank)>& parent,
               const std::function<int(Rank)>& time);

/// Other ranks in the seats: rank seat[x] takes the part of x. A block stays the same block, or the one of rank q
/// becomes that of seat[q]. (Relabelled.v: relabelled; relabelled_factor)
enum class Renamed { ranks, ranks_and_owners };
RoutesPtr relabelled(RoutesPtr routes, std::vector<Rank> seat, Renamed what);

/// One rank more, which at step turn[x] exchanges a block with rank x. (Factors.v: with_odd_one)
RoutesPtr with_odd_one(RoutesPtr others, std::vector<int> turn);

/// The same at another pace: what rank x does at step t, it does at step when(x, t), of `steps` steps. (Attached.v:
/// later; Paced.v: by_turns, resting)
RoutesPtr paced(RoutesPtr routes, int steps, std::function<int(Rank x, int step)> when);

/// More ranks, which in the first step give all that they have to others: the i-th of them gives block q to rank
/// onto(i, q). No more blocks. (Attached.v: attached)
RoutesPtr attached(RoutesPtr routes, Rank more, std::function<Rank(Rank i, Block q)> onto);

/// The product of one factor for each dimension; `order` says of which dimension each step is. (Tori.v: torus_of)
RoutesPtr torus_of(std::vector<RoutesPtr> sides, const std::vector<int>& order);

/// The blocks of one after the other. All have as many ranks; the steps are those of the longest. (Factors.v: laned)
RoutesPtr laned(std::vector<RoutesPtr> lanes);

/// Blocks that are carried from rank to rank: position(t, b) is where block b is before step t. No rank passes a block
/// on twice. O(blocks * steps) time, 4 bytes a rank and block. (Carried.v: carried)
RoutesPtr carried(Rank p, Block blocks, int steps, const std::function<Rank(int step, Block block)>& position);

/// All steps but the last one: who passes a block on then keeps it.
RoutesPtr without_last_step(RoutesPtr routes);

/// The last step in both directions: who passes a block on then gets it from the other one, too. Each block may be
/// passed on by one rank there. There must be a step. O(ranks * blocks) time, 8 bytes a block. (Merged.v: meeting)
RoutesPtr meeting(const RoutesPtr& routes);

/// Routes of one step: table[b][x] says to whom rank x passes block b on.
RoutesPtr one_step(Rank p, std::vector<std::vector<std::optional<Rank>>> table);

}  // namespace onceover::proofs
