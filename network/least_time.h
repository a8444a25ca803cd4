// How far data must go on a network, in messages and in ns, and LeastTime: how long any schedule takes at least to do
// what a given one does.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/bounds.h"

namespace onceover::network {

/// [from * ranks + to]: can a message go from one rank to the other without passing a third one? O(ranks * links).
/// Throws `Stopped` if all work is to stop.
std::vector<bool> neighbours(const Network& network);

/// Two ranks that are far apart, and the number of messages on the way if none passes a third rank.
struct Distance {
  Rank from;
  Rank to;
  std::int32_t messages;
};

/// The farthest two ranks if data goes from rank to rank; of a rooted collective, one is the root. O(links) for each
/// rank, or the first of those that a symmetry takes to each other; O(links) for a root. Throws `Stopped` if all work
/// is to stop.
Distance farthest(const Network& network, Collective collective, Rank root);

/// The least number of steps if a rank sends `ports` messages a step at most (receives, in a reduce): each step, data
/// reaches up to `ports` + 1 times as many ranks. For the collectives that are bounded.
int least_steps(Rank ranks, int ports);

/// Bounds that hold of every right schedule for a collective on a network.
struct LeastTime {
  Rational vectors;  // for large ones, in vectors at the speed of a port
  bool is_reached;   // can many small chunks come as near to that as you like?
  double latency;    // ns that data needs between the two ranks that are farthest apart
  double bandwidth;  // of a port, in Gb/s

  /// ns for a vector of `bytes` bytes, whether steps are synchronous or not.
  double time(double bytes) const;
};

/// The arcs that such searches look at, at most: some 0.1 s. A better bound may exist where they end before.
inline constexpr std::uint64_t usual_bound_budget = 1'000'000;

/// Nothing if the collective has no bound, for one rank, or if none is found within the budget. Deterministic. Throws
/// `Stopped` if all work is to stop. Cost: that of the budget, and O(links log links) for each rank, or the first of
/// those that are alike, as far as the budget allows; the latency is 0 beyond that.
std::optional<LeastTime> least_time(const Network& network, const Header& header,
                                    std::uint64_t budget = usual_bound_budget);

}  // namespace onceover::network
