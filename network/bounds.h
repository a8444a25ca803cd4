// Lower bounds on the steps and the time of any schedule on a network, each with a certificate that a person can add
// up.
//
// A time is in vectors at the speed of one port: 1/2 is what a port takes for half of a rank's whole vector. The bounds
// hold for every routing and for values that are combined at ranks only, not in switches. docs/optimal.md explains
// each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "network/port_graph.h"
#include "schedules/schedule.h"

namespace onceover::network {

/// Something has to leave (or, if `enters`, to enter) a set of vertices. An allgather's `weight` is the share of the
/// vector that the ranks inside contribute, and other collectives' 1: the time is weight * port / leaving.
struct CutProof {
  Cut cut;
  bool enters;
  Rational weight;
};

/// An allreduce moves each block 2 (p-1) times, and each time it leaves a rank (or, if `enters`, enters one): the time
/// is 2 (p-1) * port / capacity, where `capacity` is that of all ranks.
struct RanksProof {
  std::vector<Whole> of_rank;  // its ports, or the links of its seat if they have less
  Whole capacity;              // the sum
  bool enters;
};

/// Links of length 1, while all others have length 0: the time of an allreduce is 2 tree * port / capacity.
struct LengthsProof {
  enum class Links : std::uint8_t {
    all,         // but not the ports
    slow,        // all up to some speed
    across_cut,  // those and the ports that cross the allgather's cut, both ways
  };
  Links links;
  std::vector<bool> has_length;  // by arc
  Whole tree;                    // of a minimum spanning tree of the ranks, under distances in the nearer direction
  Whole capacity;                // of the links of length 1
};

struct TimeBound {
  Rational vectors;
  std::variant<CutProof, RanksProof, LengthsProof> proof;
  bool is_of_halves = false;  // an allreduce's: a reduce-scatter and an allgather have this bound together
  bool is_best = true;        // was the search for a better one finished?
};

/// What a schedule is to do. `parts` are the blocks that each rank owns, as far as they count: in an allgather or a
/// reduce-scatter. Empty: all ranks own equally much.
struct Demand {
  Collective collective;
  Rank root = 0;
  std::vector<Whole> parts = {};

  bool owns(Rank rank) const { return parts.empty() || parts[static_cast<std::size_t>(rank)] > 0; }
  bool all_own() const {
    return std::none_of(parts.begin(), parts.end(), [](Whole part) { return part == 0; });
  }
};

Demand demand_of(const Header& header);

/// Is there a bound on the time of this collective?
bool is_bounded(Collective collective);

/// The best bound on a collective's time that we know; in an allreduce the best of several kinds. The network needs 2
/// ranks or more, which all reach each other. An error if the flows and searches would look at more than `budget` arcs,
/// or if the parts are too many for exact sums in 62 bits. Throws `Stopped` if all work is to stop. Time: a maximum
/// flow for each rank, or for the first of those that a symmetry takes to each other if the parts are equal; two for
/// each rank in an allreduce that no reduce-scatter and allgather reach; for lengths O(arcs), and up to O(ranks * arcs)
/// if they differ by direction. Source: section 1 of the ForestColl paper (Zhao et al., arXiv 2402.06787) for allgather
/// and reduce-scatter; Edmonds for broadcast.
tl::expected<TimeBound, std::string> time_bound(const PortGraph& graph, const Demand& demand, std::uint64_t budget);

/// The best bound that is found within the budget; a larger budget may find a better one. Nothing if there is none.
std::optional<TimeBound> time_bound_within(const PortGraph& graph, const Demand& demand, std::uint64_t budget);

/// Is the bound the least possible time, in the limit of many small chunks? True only where that is a theorem: if each
/// node forwards and has as much capacity in as out. An allreduce's must be that of its halves, too.
bool is_reached(const PortGraph& graph, const Network& network, Collective collective, const TimeBound& bound);

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

}  // namespace onceover::network
