// Links are numbered by dimension, then by line, then along the line; lines are rows of seats. So the orbit of a link
// follows from that of its line among the lines of its dimension, and from its place in the line: turning the line by
// s seats takes link j to the link that is s times the links of one seat further on.

#include "network/link_orbits.h"

#include <algorithm>

namespace onceover::network {

LinkOrbits::LinkOrbits(Link links) : count_(links) {}

LinkOrbits::LinkOrbits(const Grid& grid, const Translations& translations)
    : count_(0), size_(translations.orbit_size()) {
  for (std::size_t d = 0; d < grid.lines.size(); ++d) {
    const auto line = static_cast<Link>(grid.lines[d].links.size());
    const Link kept = grid.lines[d].links_of_seat() * translations.strides()[d];
    dimensions_.push_back({grid.first_link[d], count_, line, kept, translations.without(d)});
    count_ += kept * dimensions_.back().rows.orbits();
  }
}

Translations LinkOrbits::kept_by(const Network& network, const Translations& translations) {
  const std::vector<Rank>& sides = translations.sides();
  if (!network.grid() || network.grid()->sides() != sides || !network.treats_seats_alike() || network.is_half_duplex())
    return Translations::none(sides);
  std::vector<Rank> strides = translations.strides();
  for (std::size_t d = 0; d < sides.size(); ++d)
    if (!network.grid()->lines[d].is_turned_onto_itself(strides[d])) return Translations::none(sides);
  return {sides, strides};
}

Link LinkOrbits::of(Link link) const {
  if (size_ == 1) return link;
  const auto after = std::upper_bound(dimensions_.begin(), dimensions_.end(), link,
                                      [](Link l, const Dimension& d) { return l < d.first; });
  const Dimension& d = after[-1];
  const Link place = link - d.first;
  return d.first_orbit + d.rows.orbit_of(place / d.line) * d.kept + place % d.line % d.kept;
}

Link LinkOrbits::member(Link orbit, Link k) const {
  if (size_ == 1) return orbit;
  const auto after = std::upper_bound(dimensions_.begin(), dimensions_.end(), orbit,
                                      [](Link l, const Dimension& d) { return l < d.first_orbit; });
  const Dimension& d = after[-1];
  const Link place = orbit - d.first_orbit;
  const Link in_line = d.line / d.kept;  // links of the orbit in each line
  return d.first + d.rows.member(place / d.kept, k / in_line) * d.line + k % in_line * d.kept + place % d.kept;
}

}  // namespace onceover::network
