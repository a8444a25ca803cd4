#include "check/flow.h"

#include <algorithm>

namespace check {

FlowGraph::FlowGraph(std::size_t vertices, std::uint64_t most_work)
    : at_(vertices), level_(vertices), next_(vertices), most_work_(most_work) {}

void FlowGraph::add(std::uint32_t from, std::uint32_t to, std::uint64_t capacity) {
  at_[from].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({to, capacity, 0});
  at_[to].push_back(static_cast<std::uint32_t>(arcs_.size()));
  arcs_.push_back({from, 0, 0});
}

std::uint64_t FlowGraph::most(std::uint32_t from, std::uint32_t to) {
  for (Arc& arc : arcs_) arc.left = arc.capacity;
  std::uint64_t flow = 0;
  while (!ran_out() && levels(from, to)) {
    std::fill(next_.begin(), next_.end(), 0);
    for (std::uint64_t more = 1; more > 0 && !ran_out(); flow += more) more = push(from, to);
  }
  return flow;
}

/// How far vertices are from the source on arcs that have something left. Is the sink reached?
bool FlowGraph::levels(std::uint32_t from, std::uint32_t to) {
  std::fill(level_.begin(), level_.end(), 0);
  std::vector<std::uint32_t> reached{from};
  level_[from] = 1;
  for (std::size_t k = 0; k < reached.size() && level_[to] == 0; ++k)
    for (const std::uint32_t a : at_[reached[k]]) {
      ++work_;
      const Arc& arc = arcs_[a];
      if (arc.left == 0 || level_[arc.to] != 0) continue;
      level_[arc.to] = level_[reached[k]] + 1;
      reached.push_back(arc.to);
    }
  return level_[to] != 0;
}

/// Sends what fits along one path, from level to level. An arc that leads nowhere isn't tried again before the next
/// levels.
std::uint64_t FlowGraph::push(std::uint32_t from, std::uint32_t to) {
  std::vector<std::uint32_t> path;  // arcs
  for (std::uint32_t at = from; at != to;) {
    ++work_;
    if (next_[at] == at_[at].size()) {
      if (path.empty()) return 0;
      at = arcs_[path.back() ^ 1].to;
      path.pop_back();
      ++next_[at];
      continue;
    }
    const std::uint32_t a = at_[at][next_[at]];
    if (arcs_[a].left > 0 && level_[arcs_[a].to] == level_[at] + 1) {
      path.push_back(a);
      at = arcs_[a].to;
    } else {
      ++next_[at];
    }
  }
  std::uint64_t least = arcs_[path.front()].left;
  for (const std::uint32_t a : path) least = std::min(least, arcs_[a].left);
  for (const std::uint32_t a : path) {
    arcs_[a].left -= least;
    arcs_[a ^ 1].left += least;
  }
  return least;
}

}  // namespace check
