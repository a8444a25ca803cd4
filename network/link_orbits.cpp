// Links are numbered by dimension, then by line, then along the line; lines are rows of seats. So the orbit of a link
// follows from that of its line among the lines of its dimension, and from its place in the line: turning the line by
// s seats takes link j to the link that is s times the links of one seat further on.

#include "network/link_orbits.h"

#include <algorithm>

namespace onceover::network {

namespace {

/// Does turning the line by `stride` seats take each link to one like it, with the links of a seat in their order?
bool is_turned_onto_itself(const Line& line, Rank stride) {
  const auto count = static_cast<Link>(line.links.size());
  if (line.nodes != line.side || line.board_links > 0 || count % line.side != 0) return false;
  const Link of_seat = count / line.side;
  for (Link j = 0; j < count; ++j) {
    const LinkData& here = line.links[static_cast<std::size_t>(j)];
    const LinkData& there = line.links[static_cast<std::size_t>((j + stride * of_seat) % count)];
    if (here.from != j / of_seat || there.to != (here.to + stride) % line.side) return false;
    if (here.bandwidth != there.bandwidth || here.latency != there.latency) return false;
  }
  return true;
}

}  // namespace

LinkOrbits::LinkOrbits(Link links) : count_(links) {}

LinkOrbits::LinkOrbits(const Grid& grid, const Translations& translations)
    : count_(0), size_(translations.orbit_size()) {
  for (std::size_t d = 0; d < grid.lines.size(); ++d) {
    const auto line = static_cast<Link>(grid.lines[d].links.size());
    const Link kept = line / grid.lines[d].side * translations.strides()[d];
    dimensions_.push_back({grid.first_link[d], count_, line, kept, translations.without(d)});
    count_ += kept * dimensions_.back().rows.orbits();
  }
}

Translations LinkOrbits::kept_by(const Network& network, const Translations& translations) {
  const std::vector<Rank>& sides = translations.sides();
  if (!network.grid() || network.grid()->sides() != sides || !network.treats_seats_alike())
    return Translations::none(sides);
  std::vector<Rank> strides = translations.strides();
  for (std::size_t d = 0; d < sides.size(); ++d)
    if (!is_turned_onto_itself(network.grid()->lines[d], strides[d])) return Translations::none(sides);
  return {sides, strides};
}

Link LinkOrbits::of(Link link) const {
  if (size_ == 1) return link;
  const auto after = std::ranges::upper_bound(dimensions_, link, {}, &Dimension::first);
  const Dimension& d = after[-1];
  const Link place = link - d.first;
  return d.first_orbit + d.rows.orbit_of(place / d.line) * d.kept + place % d.line % d.kept;
}

Link LinkOrbits::member(Link orbit, Link k) const {
  if (size_ == 1) return orbit;
  const auto after = std::ranges::upper_bound(dimensions_, orbit, {}, &Dimension::first_orbit);
  const Dimension& d = after[-1];
  const Link place = orbit - d.first_orbit;
  const Link in_line = d.line / d.kept;  // links of the orbit in each line
  return d.first + d.rows.member(place / d.kept, k / in_line) * d.line + k % in_line * d.kept + place % d.kept;
}

}  // namespace onceover::network
