// Links are numbered by dimension, then by line, then along the line; lines are rows of seats. So the orbit of a link
// follows from that of its line among the lines of its dimension, and from its place in the line: turning the line by
// s seats takes link j to the link that is s times the links of one seat further on.

#include "network/orbits.h"

#include <algorithm>
#include <map>
#include <tuple>

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

namespace {

/// Does turning a line by so many seats, with its switches in place, take each link to one of the same speed?
bool is_turned_onto_itself(const Line& line, Rank seats) {
  std::vector<std::tuple<Node, Node, double, double>> links, turned;
  const auto turn = [&](Node node) { return node < line.side ? (node + seats) % line.side : node; };
  for (const LinkData& l : line.links) {
    links.emplace_back(l.from, l.to, l.bandwidth, l.latency);
    turned.emplace_back(turn(l.from), turn(l.to), l.bandwidth, l.latency);
  }
  std::sort(links.begin(), links.end());
  std::sort(turned.begin(), turned.end());
  return links == turned;
}

/// The turns of a grid by as few seats as possible in each dimension.
Translations turns_of(const Network& network, const Grid& grid) {
  std::vector<Rank> strides = grid.sides();
  for (std::size_t d = 0; d < strides.size() && network.treats_seats_alike(); ++d) {
    const Line& line = grid.lines[d];
    Rank stride = 1;
    while (stride < line.side && (line.side % stride != 0 || !is_turned_onto_itself(line, stride))) ++stride;
    strides[d] = stride;
  }
  return {grid.sides(), strides};
}

/// Ranks with the same links to and from the same nodes. They have no links among themselves, since such a link would
/// end at one of them only.
std::vector<Rank> by_neighbours(const Network& network) {
  // The other node, does the link leave, is it half duplex, bandwidth, latency.
  using End = std::tuple<Node, bool, bool, double, double>;
  std::vector<std::vector<End>> ends(static_cast<std::size_t>(network.nodes()));
  for (Link k = 0; k < network.link_count(); ++k) {
    const LinkData& l = network.link(k);
    const bool is_half = network.reverse_link(k) >= 0;
    ends[static_cast<std::size_t>(l.from)].emplace_back(l.to, true, is_half, l.bandwidth, l.latency);
    ends[static_cast<std::size_t>(l.to)].emplace_back(l.from, false, is_half, l.bandwidth, l.latency);
  }
  std::map<std::pair<bool, std::vector<End>>, Rank> first_with;
  std::vector<Rank> first;
  for (Rank r = 0; r < network.ranks(); ++r) {
    auto& of_seat = ends[static_cast<std::size_t>(network.seat(r))];
    std::sort(of_seat.begin(), of_seat.end());
    first.push_back(first_with.try_emplace({network.forwards(network.seat(r)), std::move(of_seat)}, r).first->second);
  }
  return first;
}

}  // namespace

std::vector<Rank> rank_orbits(const Network& network) {
  if (!network.grid()) return by_neighbours(network);
  const Translations turns = turns_of(network, *network.grid());
  std::vector<Rank> first;
  for (Rank r = 0; r < network.ranks(); ++r) first.push_back(turns.member(turns.orbit_of(r), 0));
  return first;
}

}  // namespace onceover::network
