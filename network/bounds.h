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

#include "network/lengths.h"
#include "schedules/schedule.h"

namespace onceover::network {

/// Something has to leave a set of vertices, or to enter it, or both together. The time is weight * port / leaving. An
/// allgather's `weight` is the share of the vector that the ranks inside contribute, and other collectives' 1. In both
/// directions together, what the ranks inside and outside contribute is the whole vector; an allreduce's goes both
/// ways.
struct CutProof {
  enum class Direction : std::uint8_t { leaves, enters, both };

  Cut cut;  // if both, `leaving` is the capacity in both directions, where a half-duplex link counts once
  Direction direction;
  Rational weight;
};

/// The arcs that cross the cut in the direction of the proof.
std::vector<std::size_t> crossed(const PortGraph& graph, const CutProof& proof);

/// An allreduce moves each block 2 (p-1) times, and each time it leaves a rank (or, if `enters`, enters one): the time
/// is 2 (p-1) * port / capacity, where `capacity` is that of all ranks.
struct RanksProof {
  std::vector<Whole> of_rank;  // its ports, or the links of its seat if they have less
  Whole capacity;              // the sum
  bool enters;
};

/// Lengths of links: the time of an allreduce is 2 tree * port / capacity.
struct LengthsProof {
  enum class Links : std::uint8_t {
    all,         // 1 each, but 0 the ports
    slow,        // 1 each up to some speed
    across_cut,  // 1 each of those and the ports that cross the allgather's cut, both ways
    at_ranks,    // 1 for each rank at whose place they end, or instead its ports if they have less
    packed,      // as packing of trees has lengthened them
  };
  Links links;
  Lengths lengths;  // by arc
  Whole tree;       // of a minimum spanning tree of the ranks, under distances in the nearer direction
  Whole capacity;   // the sum of capacity * length, where a half-duplex link counts once

  bool are_all_one() const {
    return std::all_of(lengths.begin(), lengths.end(), [](Whole length) { return length <= 1; });
  }
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
/// flow for each rank, or for the first of those that a symmetry takes to each other if the parts are equal, but none
/// for a rank to which neighbours send enough; two for each rank in an allreduce that no reduce-scatter and allgather
/// reach; no flow where all ranks are alike and joined by equal links; for lengths O(arcs), and up to O(ranks * arcs)
/// if they differ by direction. Source: section 1 of the ForestColl paper (Zhao et al., arXiv 2402.06787) for allgather
/// and reduce-scatter; Edmonds for broadcast.
tl::expected<TimeBound, std::string> time_bound(const PortGraph& graph, const Demand& demand, std::uint64_t budget);

/// The best bound that is found within the budget; a larger budget may find a better one. Nothing if there is none.
std::optional<TimeBound> time_bound_within(const PortGraph& graph, const Demand& demand, std::uint64_t budget);

/// The bound that needs no flow, of an allreduce, an allgather or a reduce-scatter: by what each rank's ports, and in
/// an allreduce its seat's links, can carry. A larger budget than none may find a better one. Nothing as of
/// `capacities`. O(links) time, 16 bytes a rank.
std::optional<Rational> time_bound_of_ports(const Network& network, const Demand& demand);

/// Is the bound the least possible time, in the limit of many small chunks? True only where that is a theorem: if each
/// node forwards and has as much capacity in as out. An allreduce's must be that of its halves, too, and other
/// collectives' links must not be half duplex.
bool is_reached(const PortGraph& graph, const Network& network, Collective collective, const TimeBound& bound);

}  // namespace onceover::network
