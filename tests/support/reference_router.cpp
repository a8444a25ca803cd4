#include "reference_router.h"

#include <set>

namespace onceover::support {

namespace {

/// Distance of every node to `to`, by relaxing all links until nothing changes.
std::vector<int> distances_to(const Network& network, Node to) {
  const int far = 1 << 20;
  std::vector<int> distance(static_cast<std::size_t>(network.nodes()), far);
  distance[static_cast<std::size_t>(to)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const LinkData& l : network.links()) {
      int& from = distance[static_cast<std::size_t>(l.from)];
      const int through = distance[static_cast<std::size_t>(l.to)] + 1;
      if (through < from) {
        from = through;
        changed = true;
      }
    }
  }
  return distance;
}

void extend(const Network& network, const std::vector<int>& distance, Node here, std::vector<Link>& path,
            std::vector<std::vector<Link>>& all) {
  if (distance[static_cast<std::size_t>(here)] == 0) return all.push_back(path);
  for (Link l = 0; l < network.link_count(); ++l) {
    const LinkData& link = network.link(l);
    if (link.from != here ||
        distance[static_cast<std::size_t>(link.to)] != distance[static_cast<std::size_t>(here)] - 1)
      continue;
    path.push_back(l);
    extend(network, distance, link.to, path, all);
    path.pop_back();
  }
}

}  // namespace

std::vector<std::vector<Link>> shortest_paths(const Network& network, Rank src, Rank dst) {
  std::vector<std::vector<Link>> all;
  std::vector<Link> path;
  extend(network, distances_to(network, network.seat(dst)), network.seat(src), path, all);
  return all;
}

std::map<Link, Rational> flow_over_paths(const Network& network, Rank src, Rank dst) {
  const auto paths = shortest_paths(network, src, dst);
  std::map<Link, Rational> flow;
  for (const auto& path : paths)
    for (const Link l : path) flow[l] += Rational(1, paths.size());
  return flow;
}

std::map<Link, Rational> flow_split_at_nodes(const Network& network, Rank src, Rank dst) {
  std::map<Node, std::set<Link>> onward;
  for (const auto& path : shortest_paths(network, src, dst))
    for (const Link l : path) onward[network.link(l).from].insert(l);
  std::map<Link, Rational> flow;
  std::map<Node, Rational> level{{network.seat(src), 1}};
  while (!level.empty()) {
    std::map<Node, Rational> next;
    for (const auto& [node, part] : level)
      for (const Link l : onward[node]) {
        flow[l] += part / onward[node].size();
        next[network.link(l).to] += part / onward[node].size();
      }
    level = next;
  }
  return flow;
}

std::map<Link, Rational> reference_loads(const Schedule& schedule, const Network& network, int step) {
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::map<Link, Rational> loads;
  for (const Transfer& t : transfers)
    for (const auto& [link, part] : flow_over_paths(network, t.src, t.dst)) loads[link] += part * t.blocks.size();
  return loads;
}

}  // namespace onceover::support
