#include "network/lengths.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <queue>

#include "base/stop.h"

namespace onceover::network {

Outgoing::Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs)
    : first_(static_cast<std::size_t>(vertices) + 1), edges_(arcs.size()) {
  for (const PortGraph::Arc& arc : arcs) ++first_[static_cast<std::size_t>(arc.from) + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  auto next = first_;
  for (std::size_t k = 0; k < arcs.size(); ++k)
    edges_[next[static_cast<std::size_t>(arcs[k].from)]++] = {arcs[k].to, k};
}

template <class Number>
Outgoing::Nearest<Number> Outgoing::nearest(const std::vector<std::int32_t>& sources,
                                            const std::vector<Number>& lengths) const {
  const std::size_t vertices = first_.size() - 1;
  Nearest<Number> found{.distance = std::vector<Number>(vertices),
                        .source = std::vector<std::int32_t>(vertices, -1),
                        .last = std::vector<std::size_t>(vertices, Nearest<Number>::none)};
  std::vector<bool> is_done(vertices);
  using Reached = std::pair<Number, std::int32_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  for (const std::int32_t source : sources) {
    found.source[static_cast<std::size_t>(source)] = source;
    next.emplace(0, source);
  }
  while (!next.empty()) {
    const auto from = static_cast<std::size_t>(next.top().second);
    next.pop();
    if (is_done[from]) continue;
    is_done[from] = true;
    for (std::size_t k = first_[from]; k < first_[from + 1]; ++k) {
      const auto to = static_cast<std::size_t>(edges_[k].to);
      const Number distance = found.distance[from] + lengths[edges_[k].arc];
      if (found.source[to] >= 0 && found.distance[to] <= distance) continue;
      found.distance[to] = distance;
      found.source[to] = found.source[from];
      found.last[to] = edges_[k].arc;
      next.emplace(distance, edges_[k].to);
    }
  }
  return found;
}

template Outgoing::Nearest<double> Outgoing::nearest(const std::vector<std::int32_t>&,
                                                     const std::vector<double>&) const;

std::vector<Whole> Outgoing::distances(std::int32_t source, const Lengths& lengths) const {
  auto found = nearest(std::vector{source}, lengths);
  for (std::size_t v = 0; v < found.distance.size(); ++v)
    if (found.source[v] < 0) found.distance[v] = -1;
  return std::move(found.distance);
}

bool are_lengths_two_way(const PortGraph& graph, const Lengths& lengths) {
  std::vector<std::size_t> first(static_cast<std::size_t>(graph.vertices) + 1);  // by vertex, of its arcs
  for (const PortGraph::Arc& arc : graph.arcs) ++first[static_cast<std::size_t>(arc.from) + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  using End = std::pair<std::int32_t, Whole>;  // where an arc goes, and how long it is
  std::vector<End> ends(graph.arcs.size());
  auto next = first;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k)
    ends[next[static_cast<std::size_t>(graph.arcs[k].from)]++] = {graph.arcs[k].to, lengths[k]};
  const auto place = [&](std::size_t k) { return ends.begin() + static_cast<std::ptrdiff_t>(k); };
  for (std::size_t v = 0; v + 1 < first.size(); ++v) std::sort(place(first[v]), place(first[v + 1]));
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    const auto to = static_cast<std::size_t>(graph.arcs[k].to);
    if (!std::binary_search(place(first[to]), place(first[to + 1]), End{graph.arcs[k].from, lengths[k]})) return false;
  }
  return true;
}

namespace {

/// Sets of ranks that are joined.
class Groups {
 public:
  explicit Groups(std::int32_t ranks) : parent_(static_cast<std::size_t>(ranks)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  /// False if they were joined before.
  bool join(std::int32_t a, std::int32_t b) {
    const std::int32_t one = root(a), other = root(b);
    parent_[static_cast<std::size_t>(one)] = other;
    return one != other;
  }

 private:
  std::int32_t root(std::int32_t r) {
    while (parent_[static_cast<std::size_t>(r)] != r) {
      std::int32_t& up = parent_[static_cast<std::size_t>(r)];
      r = up = parent_[static_cast<std::size_t>(up)];
    }
    return r;
  }

  std::vector<std::int32_t> parent_;
};

}  // namespace

template <class Number>
SpanningTree<Number> two_way_tree(const PortGraph& graph, const Outgoing& onward, const std::vector<Number>& lengths) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(graph.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto found = onward.nearest(ranks, lengths);
  // An arc joins the ranks that are nearest to its ends; a shortest tree can be made of such paths.
  std::vector<std::pair<Number, std::size_t>> joints;
  for (std::size_t k = 0; k < graph.arcs.size(); ++k) {
    const auto from = static_cast<std::size_t>(graph.arcs[k].from), to = static_cast<std::size_t>(graph.arcs[k].to);
    if (found.source[from] == found.source[to] || found.source[from] < 0 || found.source[to] < 0) continue;
    joints.emplace_back(found.distance[from] + lengths[k] + found.distance[to], k);
  }
  std::sort(joints.begin(), joints.end());
  Groups groups(graph.ranks);
  SpanningTree<Number> tree{.length = 0, .arcs = {}};
  const auto add_path_to = [&](std::int32_t vertex) {
    while (found.last[static_cast<std::size_t>(vertex)] != Outgoing::Nearest<Number>::none) {
      tree.arcs.push_back(found.last[static_cast<std::size_t>(vertex)]);
      vertex = graph.arcs[tree.arcs.back()].from;
    }
  };
  for (const auto& [length, arc] : joints) {  // Kruskal's algorithm
    const std::int32_t from = graph.arcs[arc].from, to = graph.arcs[arc].to;
    if (!groups.join(found.source[static_cast<std::size_t>(from)], found.source[static_cast<std::size_t>(to)]))
      continue;
    tree.length += length;
    tree.arcs.push_back(arc);
    add_path_to(from);
    add_path_to(to);
  }
  return tree;
}

template SpanningTree<Whole> two_way_tree(const PortGraph&, const Outgoing&, const std::vector<Whole>&);
template SpanningTree<double> two_way_tree(const PortGraph&, const Outgoing&, const std::vector<double>&);

Whole spanning_tree(const PortGraph& graph, const Lengths& lengths) {
  const Outgoing onward(graph.vertices, graph.arcs), backward(graph.vertices, graph.reversed().arcs);
  const auto ranks = static_cast<std::size_t>(graph.ranks);
  std::vector<Whole> nearest(ranks, std::numeric_limits<Whole>::max());  // to the tree; -1: in it
  Whole sum = 0;
  std::size_t added = 0;
  for (std::size_t size = 1; size < ranks; ++size) {  // Prim's algorithm
    stop_point();
    nearest[added] = -1;
    const auto to = onward.distances(static_cast<std::int32_t>(added), lengths);
    const auto from = backward.distances(static_cast<std::int32_t>(added), lengths);
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

namespace {

/// By how much a link that a tree fills becomes longer: less and less, so that the lengths settle.
double growth(int packed) {
  return std::max(0.02, 1 / std::sqrt(packed + 4.0));
}

}  // namespace

TreePacking::TreePacking(const PortGraph& graph) : graph_(graph), onward_(graph.vertices, graph.arcs) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> pairs;
  for (const PortGraph::Arc& arc : graph.arcs) {
    pair_of_.push_back(pairs.try_emplace(std::minmax(arc.from, arc.to), pairs.size()).first->second);
    capacity_.resize(pairs.size());
    capacity_[pair_of_.back()] += static_cast<double>(arc.own()) / 2;
  }
  use_.resize(capacity_.size());
  for (const std::size_t pair : pair_of_) lengths_.push_back(1 / capacity_[pair]);
}

void TreePacking::pack_another() {
  const auto tree = two_way_tree(graph_, onward_, lengths_);
  std::fill(use_.begin(), use_.end(), 0);
  for (const std::size_t arc : tree.arcs) ++use_[pair_of_[arc]];
  double fullest = 0;
  for (std::size_t k = 0; k < use_.size(); ++k) fullest = std::max(fullest, use_[k] / capacity_[k]);
  const double factor = growth(packed_++) / fullest;
  double longest = 0;
  for (std::size_t arc = 0; arc < lengths_.size(); ++arc) {
    const std::size_t k = pair_of_[arc];
    lengths_[arc] *= 1 + factor * use_[k] / capacity_[k];
    longest = std::max(longest, lengths_[arc]);
  }
  for (double& length : lengths_) length /= longest;
}

Lengths TreePacking::rounded(Whole largest) const {
  const double longest = *std::max_element(lengths_.begin(), lengths_.end());
  Lengths found;
  for (const double length : lengths_) found.push_back(std::llround(length / longest * static_cast<double>(largest)));
  return found;
}

bool is_symmetric(const PortGraph& graph) {
  std::map<std::pair<std::int32_t, std::int32_t>, Whole> surplus;
  for (const PortGraph::Arc& arc : graph.arcs)
    surplus[std::minmax(arc.from, arc.to)] += arc.from < arc.to ? arc.capacity : -arc.capacity;
  return std::all_of(surplus.begin(), surplus.end(), [](const auto& pair) { return pair.second == 0; });
}

}  // namespace onceover::network
