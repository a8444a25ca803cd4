#include "network/least_time.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "base/stop.h"
#include "network/alike.h"

namespace onceover::network {

namespace {

/// Links by the node that they leave or, backwards, enter.
class Ways {
 public:
  Ways(const Network& network, bool is_backward)
      : network_(network), from_(static_cast<std::size_t>(network.nodes())), is_backward_(is_backward) {
    for (Link l = 0; l < network.link_count(); ++l)
      from_[static_cast<std::size_t>(is_backward ? network.link(l).to : network.link(l).from)].push_back(l);
  }

  /// The latency of the quickest way from a node to each other one, by Dijkstra's algorithm.
  std::vector<double> latencies(Node source) const {
    std::vector<double> found(from_.size(), std::numeric_limits<double>::infinity());
    using Reached = std::pair<double, Node>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
    found[static_cast<std::size_t>(source)] = 0;
    next.emplace(0, source);
    while (!next.empty()) {
      const auto [latency, at] = next.top();
      next.pop();
      if (latency > found[static_cast<std::size_t>(at)]) continue;
      for (const Link l : from_[static_cast<std::size_t>(at)]) {
        const LinkData& link = network_.link(l);
        const Node to = is_backward_ ? link.from : link.to;
        const double sum = latency + link.latency;
        if (sum >= found[static_cast<std::size_t>(to)]) continue;
        found[static_cast<std::size_t>(to)] = sum;
        next.emplace(sum, to);
      }
    }
    return found;
  }

 private:
  const Network& network_;
  std::vector<std::vector<Link>> from_;
  bool is_backward_;
};

/// The largest latency of a quickest way that data must take between ranks, as far as the budget lets us look. Data
/// leaves only owners in an allgather, and ends only there in a reduce-scatter.
double farthest_latency(const Network& network, const Header& header, std::uint64_t budget) {
  const auto links = static_cast<std::uint64_t>(network.link_count());
  if (budget < links) return 0;
  const Ways ways(network, header.collective == Collective::reduce);
  const std::vector<Rank> alike = alike_ranks(network);
  const Demand demand = demand_of(header);
  const bool all_own = demand.all_own();
  const auto has_data = [&](Rank r) { return header.collective != Collective::allgather || demand.owns(r); };
  const auto needs_data = [&](Rank r) { return header.collective != Collective::reduce_scatter || demand.owns(r); };
  double most = 0;
  for (Rank r = 0; r < network.ranks(); ++r) {
    const bool is_looked_at = is_rooted(header.collective) ? r == header.root
                              : all_own                    ? alike[static_cast<std::size_t>(r)] == r
                                                           : has_data(r);
    if (!is_looked_at) continue;
    stop_point();
    if (budget < links) break;
    budget -= links;
    const auto latencies = ways.latencies(network.seat(r));
    for (Rank to = 0; to < network.ranks(); ++to)
      if (needs_data(to)) most = std::max(most, latencies[static_cast<std::size_t>(network.seat(to))]);
  }
  return most;
}

}  // namespace

double LeastTime::time(double bytes) const {
  return std::max(latency, static_cast<double>(vectors) * bytes * 8 / bandwidth);
}

std::optional<LeastTime> least_time(const Network& network, const Header& header, std::uint64_t budget) {
  if (!is_bounded(header.collective) || header.ranks < 2 || network.unreachable()) return std::nullopt;
  const auto graph = port_graph(network);
  if (!graph) return std::nullopt;
  const auto bound = time_bound_within(*graph, demand_of(header), budget);
  if (!bound) return std::nullopt;
  return LeastTime{bound->vectors, is_reached(*graph, network, header.collective, *bound),
                   farthest_latency(network, header, budget), network.port_bandwidth()};
}

}  // namespace onceover::network
