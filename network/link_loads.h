// LinkLoads: how many blocks cross each link, in exact fractions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "network/routing.h"

namespace onceover::network {

/// The loads of all links as whole numbers over one common denominator, which grows as flows are split. Memory: 24
/// bytes a link. Adding a flow costs O(links on its paths); a flow that needs a finer denominator, which is rare, costs
/// O(links) once.
class LinkLoads {
 public:
  explicit LinkLoads(Link links);

  /// Adds `blocks` along the route. False if the numbers outgrow 127 bits; the loads can't be used after that.
  [[nodiscard]] bool add(const RouteView& view, std::uint64_t blocks);

  /// Adds other loads, `times` times.
  [[nodiscard]] bool add(const LinkLoads& others, std::uint64_t times);

  void clear();

  Link links() const { return static_cast<Link>(loads_.size()); }
  Rational load(Link link) const { return rational(loads_[static_cast<std::size_t>(link)]); }

  /// The double that is nearest to the load.
  double nearest_load(Link link) const;

  /// How many messages cross the link, partly or whole.
  std::uint64_t messages(Link link) const { return messages_[static_cast<std::size_t>(link)]; }

  /// The link with the largest load relative to its bandwidth, the first one if there are several; -1 if no link is
  /// loaded. O(links).
  Link hottest(const Network& network) const;

  /// Does link a carry less than link b, relative to their bandwidths?
  bool is_cooler(const Network& network, Link a, Link b) const;

  std::uint64_t most_messages() const;
  Link used() const;

 private:
  using Wide = Rational::Wide;

  bool make_room_for(Wide parts, std::uint64_t blocks);
  bool fits(std::uint64_t blocks) const;
  Rational rational(Wide scaled) const;

  Wide scale_ = 1;            // the common denominator
  std::uint64_t blocks_ = 0;  // added so far: an upper bound for every load
  std::vector<Wide> loads_;
  std::vector<std::uint64_t> messages_;
};

}  // namespace onceover::network
