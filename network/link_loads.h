// LinkLoads: how many blocks cross each link, in exact fractions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "network/orbits.h"
#include "network/routing.h"

namespace onceover::network {

/// The loads of all links as whole numbers over one common denominator, which grows as flows are split. Memory: 24
/// bytes for each orbit of links, which carry equally much: each link is alone in its orbit unless something else is
/// said. Adding a flow costs O(links on its paths); a flow that needs a finer denominator, which is rare, costs
/// O(orbits) once.
///
/// A flow over a half-duplex link loads the way back, too: both have the bandwidth together.
///
/// If translations take the flows and the network to themselves, one flow of each of their orbits is added. A link then
/// has the load of all flows: the translated flows cross it where these cross another link of its orbit.
class LinkLoads {
 public:
  explicit LinkLoads(Link links) : LinkLoads(LinkOrbits(links)) {}
  explicit LinkLoads(LinkOrbits orbits);

  /// Adds `blocks` along the route, and along those to which translations take it. False if the numbers outgrow 127
  /// bits; the loads can't be used after that.
  [[nodiscard]] bool add(const Network& network, const RouteView& view, std::uint64_t blocks);

  /// Adds other loads of the same orbits, `times` times.
  [[nodiscard]] bool add(const LinkLoads& others, std::uint64_t times);

  void clear();

  Link links() const { return orbits_.links(); }
  const LinkOrbits& orbits() const { return orbits_; }
  Rational load(Link link) const { return Rational::of(scaled(link), scale_); }

  /// The double that is nearest to the load.
  double nearest_load(Link link) const;

  /// How many messages cross the link, partly or whole.
  std::uint64_t messages(Link link) const { return messages_[static_cast<std::size_t>(orbits_.of(link))]; }

  /// The link with the largest load relative to its bandwidth, the first one if there are several; -1 if no link is
  /// loaded. O(orbits).
  Link hottest(const Network& network) const;

  /// Does link a carry less than link b, relative to their bandwidths?
  bool is_cooler(const Network& network, Link a, Link b) const;

  std::uint64_t most_messages() const;
  Link used() const;

 private:
  using Wide = Rational::Wide;

  static constexpr Wide most = Wide{1} << 126;

  bool make_room_for(Wide parts, Wide blocks);
  bool fits(Wide blocks) const { return blocks_ + blocks <= most / scale_; }
  Wide scaled(Link link) const { return loads_[static_cast<std::size_t>(orbits_.of(link))]; }

  LinkOrbits orbits_;
  Wide scale_ = 1;           // the common denominator
  Wide blocks_ = 0;          // an upper bound for every load
  std::vector<Wide> loads_;  // by orbit, as the others
  std::vector<std::uint64_t> messages_;
};

}  // namespace onceover::network
