#include "network/least_time.h"

#include <algorithm>

#include "base/stop.h"
#include "network/orbits.h"

namespace onceover::network {

namespace {

/// 1 for the links at whose end a message that passes no third rank ends.
Lengths one_to_each_rank(const Network& network, const std::vector<PortGraph::Arc>& arcs) {
  Lengths lengths;
  for (const PortGraph::Arc& arc : arcs) lengths.push_back(arc.to < network.ranks() ? 1 : 0);
  return lengths;
}

/// The links, without their speeds; turned round if data comes to a root.
std::vector<PortGraph::Arc> arcs_of(const Network& network, bool is_backward = false) {
  std::vector<PortGraph::Arc> arcs;
  for (const LinkData& link : network.links()) arcs.push_back({link.from, link.to, 1});
  if (is_backward)
    for (PortGraph::Arc& arc : arcs) std::swap(arc.from, arc.to);
  return arcs;
}

/// The largest latency of a quickest way that data must take between ranks, as far as the budget lets us look. Data
/// leaves only owners in an allgather, and ends only there in a reduce-scatter.
double farthest_latency(const Network& network, const Header& header, std::uint64_t budget) {
  const auto links = static_cast<std::uint64_t>(network.link_count());
  if (budget < links) return 0;
  const Outgoing outgoing(network.nodes(), arcs_of(network, header.collective == Collective::reduce));
  std::vector<double> latency;
  for (const LinkData& link : network.links()) latency.push_back(link.latency);
  const std::vector<Rank> orbits = rank_orbits(network);
  const Demand demand = demand_of(header);
  const bool all_own = demand.all_own();
  const auto has_data = [&](Rank r) { return header.collective != Collective::allgather || demand.owns(r); };
  const auto needs_data = [&](Rank r) { return header.collective != Collective::reduce_scatter || demand.owns(r); };
  double most = 0;
  for (Rank r = 0; r < network.ranks(); ++r) {
    const bool is_looked_at = is_rooted(header.collective) ? r == header.root
                              : all_own                    ? orbits[static_cast<std::size_t>(r)] == r
                                                           : has_data(r);
    if (!is_looked_at) continue;
    stop_point();
    if (budget < links) break;
    budget -= links;
    const auto latencies = outgoing.nearest({network.seat(r)}, latency).distance;
    for (Rank to = 0; to < network.ranks(); ++to)
      if (needs_data(to)) most = std::max(most, latencies[static_cast<std::size_t>(network.seat(to))]);
  }
  return most;
}

/// The bound on the time for large vectors, and whether it is reached. A network of more arcs than may be looked at
/// needs no graph of them.
std::optional<std::pair<Rational, bool>> for_large_vectors(const Network& network, const Header& header,
                                                           std::uint64_t budget) {
  const Demand demand = demand_of(header);
  const auto arcs = static_cast<std::uint64_t>(network.link_count()) + 2 * static_cast<std::uint64_t>(network.ranks());
  if (budget < arcs) {
    const auto vectors = time_bound_of_ports(network, demand);
    return vectors ? std::optional(std::pair(*vectors, false)) : std::nullopt;
  }
  const auto graph = port_graph(network);
  if (!graph) return std::nullopt;
  const auto bound = time_bound_within(*graph, demand, budget);
  if (!bound) return std::nullopt;
  return std::pair(bound->vectors, is_reached(*graph, network, header.collective, *bound));
}

}  // namespace

std::vector<bool> neighbours(const Network& network) {
  const std::vector<PortGraph::Arc> arcs = arcs_of(network);
  const Outgoing outgoing(network.nodes(), arcs);
  const Lengths lengths = one_to_each_rank(network, arcs);
  std::vector<bool> linked;
  for (Rank from = 0; from < network.ranks(); ++from) {
    stop_point();
    const auto messages = outgoing.distances(network.seat(from), lengths);
    for (Rank to = 0; to < network.ranks(); ++to)
      linked.push_back(messages[static_cast<std::size_t>(network.seat(to))] == 1);
  }
  return linked;
}

Distance farthest(const Network& network, Collective collective, Rank root) {
  const bool is_backward = collective == Collective::reduce;
  const std::vector<PortGraph::Arc> arcs = arcs_of(network, is_backward);
  const Outgoing outgoing(network.nodes(), arcs);
  const Lengths lengths = one_to_each_rank(network, arcs);
  const std::vector<Rank> orbits = rank_orbits(network);
  Distance most{root, root, 0};
  for (Rank from = is_rooted(collective) ? root : 0; from < network.ranks(); ++from) {
    stop_point();
    if (!is_rooted(collective) && orbits[static_cast<std::size_t>(from)] != from) continue;
    const auto distance = outgoing.distances(network.seat(from), lengths);
    for (Rank to = 0; to < network.ranks(); ++to)
      if (const auto messages = distance[static_cast<std::size_t>(network.seat(to))]; messages > most.messages)
        most = is_backward ? Distance{to, from, static_cast<std::int32_t>(messages)}
                           : Distance{from, to, static_cast<std::int32_t>(messages)};
    if (is_rooted(collective)) break;
  }
  return most;
}

int least_steps(Rank ranks, int ports) {
  int steps = 0;
  for (std::int64_t known = 1; known < ranks; known *= ports + std::int64_t{1}) ++steps;
  return steps;
}

double LeastTime::time(double bytes) const {
  return std::max(latency, static_cast<double>(vectors) * bytes * 8 / bandwidth);
}

std::optional<LeastTime> least_time(const Network& network, const Header& header, std::uint64_t budget) {
  if (!is_bounded(header.collective) || header.ranks < 2 || network.unreachable()) return std::nullopt;
  const auto large = for_large_vectors(network, header, budget);
  if (!large) return std::nullopt;
  return LeastTime{large->first, large->second, farthest_latency(network, header, budget), network.port_bandwidth()};
}

}  // namespace onceover::network
