#include "network/lengths.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

#include "base/stop.h"

namespace onceover::network {

Outgoing::Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs)
    : first_(static_cast<std::size_t>(vertices) + 1), ways_(arcs.size()) {
  for (const PortGraph::Arc& arc : arcs) ++first_[static_cast<std::size_t>(arc.from) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  auto next = first_;
  for (std::size_t k = 0; k < arcs.size(); ++k) ways_[next[static_cast<std::size_t>(arcs[k].from)]++] = {arcs[k].to, k};
}

std::vector<std::int32_t> Outgoing::distances(std::int32_t source, const HasLength& has_length) const {
  return nearest({source}, has_length).distance;
}

Outgoing::Nearest Outgoing::nearest(const std::vector<std::int32_t>& sources, const HasLength& has_length) const {
  Nearest found{.distance = std::vector<std::int32_t>(first_.size() - 1, -1), .source = {}};
  found.source = found.distance;
  std::vector<bool> is_done(found.distance.size());
  std::deque<std::int32_t> near(sources.begin(), sources.end());  // the next distance comes after this one
  for (const std::int32_t source : sources) {
    found.distance[static_cast<std::size_t>(source)] = 0;
    found.source[static_cast<std::size_t>(source)] = source;
  }
  while (!near.empty()) {
    const auto from = static_cast<std::size_t>(near.front());
    near.pop_front();
    if (is_done[from]) continue;
    is_done[from] = true;
    for (std::size_t k = first_[from]; k < first_[from + 1]; ++k) {
      const auto to = static_cast<std::size_t>(ways_[k].to);
      const std::int32_t length = has_length(ways_[k].arc) ? 1 : 0;
      const std::int32_t distance = found.distance[from] + length;
      if (found.distance[to] >= 0 && found.distance[to] <= distance) continue;
      found.distance[to] = distance;
      found.source[to] = found.source[from];
      length == 0 ? near.push_front(ways_[k].to) : near.push_back(ways_[k].to);
    }
  }
  return found;
}

bool are_lengths_two_way(const PortGraph& graph, const std::vector<bool>& has_length) {
  using Joint = std::tuple<std::int32_t, std::int32_t, bool>;
  std::set<Joint> there;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k)
    there.emplace(graph.arcs[k].from, graph.arcs[k].to, has_length[k]);
  return std::all_of(there.begin(), there.end(), [&](const Joint& joint) {
    return there.contains({std::get<1>(joint), std::get<0>(joint), std::get<2>(joint)});
  });
}

Whole two_way_tree(const PortGraph& graph, const std::vector<bool>& has_length) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(graph.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto found =
      Outgoing(graph.vertices, graph.arcs).nearest(ranks, [&](std::size_t arc) { return has_length[arc]; });
  // An arc joins the ranks that are nearest to its ends; a shortest tree can be made of such ways.
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> ways;  // length, and the ranks
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    const auto from = static_cast<std::size_t>(graph.arcs[k].from), to = static_cast<std::size_t>(graph.arcs[k].to);
    if (found.source[from] < 0 || found.source[to] < 0) continue;  // no rank reaches these
    ways.emplace_back(found.distance[from] + (has_length[k] ? 1 : 0) + found.distance[to], found.source[from],
                      found.source[to]);
  }
  std::sort(ways.begin(), ways.end());
  std::vector<std::int32_t> parent = ranks;
  const auto root = [&](std::int32_t r) {
    while (parent[static_cast<std::size_t>(r)] != r) {
      std::int32_t& up = parent[static_cast<std::size_t>(r)];
      r = up = parent[static_cast<std::size_t>(up)];
    }
    return r;
  };
  Whole sum = 0;
  for (const auto& [length, a, b] : ways) {  // Kruskal's algorithm
    const std::int32_t one = root(a), other = root(b);
    if (one == other) continue;
    parent[static_cast<std::size_t>(one)] = other;
    sum += length;
  }
  return sum;
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
