#include "network/tree_packing.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace onceover::network {

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
