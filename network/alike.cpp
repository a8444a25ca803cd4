#include "network/alike.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "schedules/translations.h"

namespace onceover::network {

namespace {

std::vector<Rank> each_alone(Rank ranks) {
  std::vector<Rank> first(static_cast<std::size_t>(ranks));
  std::iota(first.begin(), first.end(), Rank{0});
  return first;
}

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
    const bool is_half = network.way_back(k) >= 0;
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

std::vector<Rank> alike_ranks(const Network& network) {
  if (!network.grid()) return by_neighbours(network);
  const Translations turns = turns_of(network, *network.grid());
  std::vector<Rank> first = each_alone(network.ranks());
  for (Rank& r : first) r = turns.member(turns.orbit_of(r), 0);
  return first;
}

}  // namespace onceover::network
