#include "network/lengths.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "base/stop.h"

namespace onceover::network {

Outgoing::Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs)
    : first_(static_cast<std::size_t>(vertices) + 1), ways_(arcs.size()) {
  for (const PortGraph::Arc& arc : arcs) ++first_[static_cast<std::size_t>(arc.from) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  auto next = first_;
  for (std::size_t k = 0; k < arcs.size(); ++k) ways_[next[static_cast<std::size_t>(arcs[k].from)]++] = {arcs[k].to, k};
}

std::vector<std::int32_t> Outgoing::distances(std::int32_t source,
                                              const std::function<bool(std::size_t)>& has_length) const {
  std::vector<std::int32_t> distance(first_.size() - 1, -1);
  std::vector<bool> is_done(distance.size());
  std::deque<std::int32_t> near{source};  // those at the next distance come after those at this one
  distance[static_cast<std::size_t>(source)] = 0;
  while (!near.empty()) {
    const auto from = static_cast<std::size_t>(near.front());
    near.pop_front();
    if (is_done[from]) continue;
    is_done[from] = true;
    for (std::size_t k = first_[from]; k < first_[from + 1]; ++k) {
      const auto to = static_cast<std::size_t>(ways_[k].to);
      const std::int32_t length = has_length(ways_[k].arc) ? 1 : 0;
      if (distance[to] >= 0 && distance[to] <= distance[from] + length) continue;
      distance[to] = distance[from] + length;
      length == 0 ? near.push_front(ways_[k].to) : near.push_back(ways_[k].to);
    }
  }
  return distance;
}

Whole spanning_tree(const PortGraph& graph, const std::vector<bool>& has_length) {
  const auto length = [&](std::size_t arc) { return has_length[arc]; };
  const Outgoing onward(graph.vertices, graph.arcs), backward(graph.vertices, graph.reversed().arcs);
  const auto ranks = static_cast<std::size_t>(graph.ranks);
  std::vector<std::int32_t> nearest(ranks, std::numeric_limits<std::int32_t>::max());  // to the tree; -1: in it
  Whole sum = 0;
  std::size_t added = 0;
  for (std::size_t size = 1; size < ranks; ++size) {  // Prim's algorithm
    stop_point();
    nearest[added] = -1;
    const auto to = onward.distances(static_cast<std::int32_t>(added), length);
    const auto from = backward.distances(static_cast<std::int32_t>(added), length);
    std::size_t next = ranks;
    for (std::size_t r = 0; r < ranks; ++r) {
      if (nearest[r] < 0) continue;
      nearest[r] = std::min({nearest[r], to[r], from[r]});
      if (next == ranks || nearest[r] < nearest[next]) next = r;
    }
    sum += nearest[next];
    added = next;
  }
  return sum;
}

}  // namespace onceover::network
