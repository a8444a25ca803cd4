// Orbits: the ranks, and the links, that symmetries of a network take to each other.
#pragma once

#include <vector>

#include "network/network.h"
#include "schedules/translations.h"

namespace onceover::network {

/// The orbits of a network's links under translations of its ranks. All have the same size. They are numbered by their
/// first links, 0 .. count-1. Memory: O(dimensions).
class LinkOrbits {
 public:
  /// Each link alone.
  explicit LinkOrbits(Link links);

  /// The translations must take the grid to itself, see `kept_by`.
  LinkOrbits(const Grid& grid, const Translations& translations);

  /// Those of the translations that take the network to itself, with its routes: turns of lines by which each link
  /// becomes one of the same speed, and the links of a node keep their order. None if seats differ, or forward or not,
  /// or if links are half duplex.
  static Translations kept_by(const Network& network, const Translations& translations);

  Link links() const { return count_ * size_; }
  Link count() const { return count_; }

  /// How many links are in an orbit.
  Link size() const { return size_; }

  /// The orbit of a link. O(dimensions).
  Link of(Link link) const;

  /// Link k of an orbit, 0 .. size-1, ascending. O(dimensions).
  Link member(Link orbit, Link k) const;

 private:
  /// The links of a dimension's lines.
  struct Dimension {
    Link first;
    Link first_orbit;
    Link line;          // links of a line
    Link kept;          // of them, those before the first that is in the orbit of an earlier one
    Translations rows;  // of the lines
  };

  Link count_;
  Link size_ = 1;
  std::vector<Dimension> dimensions_;  // empty: each link alone
};

/// For each rank the first one that some symmetry of the network takes to it: turns of a grid that take its links to
/// links of the same speed, else exchanges of two ranks with links to the same nodes, as those of one leaf switch. A
/// symmetry keeps bandwidths, latencies, which links are half duplex, and which nodes forward. Some may be missed.
/// O(links log links).
std::vector<Rank> rank_orbits(const Network& network);

}  // namespace onceover::network
