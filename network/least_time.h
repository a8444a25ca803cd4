// LeastTime: how long any schedule takes at least to do what a given one does, to show beside the schedule's own time.
#pragma once

#include <optional>

#include "network/bounds.h"

namespace onceover::network {

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
