#include "network/link_loads.h"

#include <algorithm>

namespace onceover::network {

namespace {

using Wide = Rational::Wide;

constexpr Wide exact_in_double = Wide{1} << 53;

Wide common_divisor(Wide a, Wide b) {
  while (b != 0) {
    a %= b;
    std::swap(a, b);
  }
  return a;
}

}  // namespace

LinkLoads::LinkLoads(LinkOrbits orbits)
    : orbits_(std::move(orbits)), loads_(static_cast<std::size_t>(orbits_.count())), messages_(loads_.size()) {}

void LinkLoads::clear() {
  scale_ = 1;
  blocks_ = 0;
  std::fill(loads_.begin(), loads_.end(), Wide{0});
  std::fill(messages_.begin(), messages_.end(), 0);
}

bool LinkLoads::make_room_for(Wide parts, Wide blocks) {
  const Wide factor = parts == 1 ? 1 : parts / common_divisor(scale_, parts);
  if (factor > 1) {
    if (scale_ > most / factor) return false;
    scale_ *= factor;
    if (!fits(blocks)) return false;
    for (Wide& load : loads_) load *= factor;
  }
  return fits(blocks);
}

bool LinkLoads::add(const Network& network, const RouteView& view, std::uint64_t blocks) {
  const Route& route = *view.route;
  // A link carries a part of the flow, and of its translations as often as the route crosses the link's orbit.
  const std::uint64_t ways = network.is_half_duplex() ? 2 : 1;
  const std::uint64_t most_added =
      orbits_.size() == 1 ? blocks * ways : blocks * static_cast<std::uint64_t>(route.hops);
  if (route.parts == 0 || !make_room_for(route.parts, most_added)) return false;
  blocks_ += most_added;
  const Wide part = scale_ / route.parts * blocks;
  for (const RouteShare& share : route.shares) {
    const auto orbit = static_cast<std::size_t>(orbits_.of(view.link(share)));
    loads_[orbit] += part * share.weight;
    ++messages_[orbit];
    if (const Link back = network.reverse_link(view.link(share)); back >= 0) {
      loads_[static_cast<std::size_t>(orbits_.of(back))] += part * share.weight;
      ++messages_[static_cast<std::size_t>(orbits_.of(back))];
    }
  }
  return true;
}

bool LinkLoads::add(const LinkLoads& others, std::uint64_t times) {
  if (others.blocks_ > most / times) return false;
  if (!make_room_for(others.scale_, others.blocks_ * times)) return false;
  blocks_ += others.blocks_ * times;
  const Wide factor = scale_ / others.scale_ * times;
  for (std::size_t l = 0; l < loads_.size(); ++l) {
    loads_[l] += others.loads_[l] * factor;
    messages_[l] += others.messages_[l] * times;
  }
  return true;
}

// The quotient of two whole numbers that doubles hold exactly is rounded once.
double LinkLoads::nearest_load(Link link) const {
  const Wide above = scaled(link);
  if (std::max(above, scale_) > exact_in_double) return static_cast<double>(load(link));
  return static_cast<double>(static_cast<std::uint64_t>(above)) /
         static_cast<double>(static_cast<std::uint64_t>(scale_));
}

bool LinkLoads::is_cooler(const Network& network, Link a, Link b) const {
  const double speed_a = network.link(a).bandwidth;
  const double speed_b = network.link(b).bandwidth;
  if (speed_a == speed_b) return scaled(a) < scaled(b);
  return load(a) * Rational(speed_b) < load(b) * Rational(speed_a);
}

Link LinkLoads::hottest(const Network& network) const {
  Link hottest = -1;
  for (std::size_t orbit = 0; orbit < loads_.size(); ++orbit) {
    if (loads_[orbit] == 0) continue;
    const Link first = orbits_.member(static_cast<Link>(orbit), 0);
    if (hottest < 0 || is_cooler(network, hottest, first)) hottest = first;
  }
  return hottest;
}

std::uint64_t LinkLoads::most_messages() const {
  return messages_.empty() ? 0 : *std::max_element(messages_.begin(), messages_.end());
}

Link LinkLoads::used() const {
  const auto used = std::count_if(messages_.begin(), messages_.end(), [](auto m) { return m > 0; });
  return static_cast<Link>(used) * orbits_.size();
}

}  // namespace onceover::network
