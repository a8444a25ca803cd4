// Splits a message over the shortest paths between two nodes.
//
// Example: rank 0 to rank 5, opposite corners of a 2x3 mesh. There are three shortest paths: 0-1-2-5, 0-1-4-5 and
// 0-3-4-5. Minimal routing puts 2/3 on the link 0-1, because two of the three paths use it. ECMP puts 1/2 there,
// because two links of rank 0 lead on. Dimension order takes 0-3-4-5.
//
// A breadth-first search counts the paths to each node, and a pass back from the target counts those onward from it;
// their product is the number of paths over a link. Fractions stay whole numbers of parts, here 2 of 3. A number beyond
// 64 bits becomes 0, "too many", never a wrong one.
//
// It ends because a search expands each node once. The search stops at the target's distance, and the next one from the
// same node continues there. O(links searched); between two seats of one line, only the links of that line are
// searched.

#include "network/routing.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "network/graph.h"
#include "network/pinned_routes.h"
#include "schedules/numbers.h"

namespace onceover::network {

namespace {

constexpr std::size_t most_kept = (std::size_t{32} << 20) / sizeof(RouteShare);

/// a * b, or 0 if that doesn't fit; an operand of 0 also means "too many".
std::uint64_t counted_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? 0 : product;
}

std::uint64_t counted_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return a == 0 || b == 0 || __builtin_add_overflow(a, b, &sum) ? 0 : sum;
}

std::uint64_t key_of(Node from, Node to) {
  return std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to);
}

std::size_t at(Node node) {
  return static_cast<std::size_t>(node);
}

}  // namespace

std::string_view name(Routing routing) {
  switch (routing) {
    case Routing::minimal: return "minimal";
    case Routing::ecmp: return "ecmp";
    case Routing::dimension_order: return "dimension-order";
  }
  return "";
}

PathFinder::PathFinder(const LinkGraph& graph, const std::vector<LinkData>& links, const std::vector<bool>* forwards)
    : graph_(graph),
      links_(links),
      forwards_(forwards == nullptr || forwards->empty() ? nullptr : forwards),
      distance_(num_vertices(graph.graph), -1),
      paths_(num_vertices(graph.graph)),
      arrivals_(num_vertices(graph.graph), -1),
      work_(num_vertices(graph.graph)),
      delay_(num_vertices(graph.graph)) {}

Route PathFinder::find(Node from, Node to, Routing routing) {
  const std::optional<Link> first = only_way_out(from);
  if (!first || from == to || !may_pass(links_[at(*first)].to, to)) return find_by_search(from, to, routing);
  Route route = find_by_search(links_[at(*first)].to, to, routing);
  if (route.hops == 0) return route;
  std::vector<RouteShare> shares{{*first, 0, route.parts}};
  shares.reserve(route.shares.size() + 1);
  for (const RouteShare& share : route.shares) shares.push_back({share.link, share.hop + 1, share.weight});
  route.shares = std::move(shares);
  ++route.hops;
  route.latency += links_[at(*first)].latency;
  return route;
}

/// The link that every path from a node begins with, as that of a seat to its leaf switch: all that sit there share a
/// search from the switch.
std::optional<Link> PathFinder::only_way_out(Node from) const {
  const auto [begin, end] = out_edges(static_cast<std::uint32_t>(from), graph_.graph);
  if (end - begin != 1) return std::nullopt;
  return graph_.graph[*begin];
}

bool PathFinder::forwards(Node node) const {
  return forwards_ == nullptr || (*forwards_)[at(node)];
}

bool PathFinder::may_pass(Node node, Node to) const {
  return node != to && forwards(node);
}

Route PathFinder::find_by_search(Node from, Node to, Routing routing) {
  Route route;
  search(from, to);
  if (from == to || distance_[at(to)] < 0) return route;
  route.hops = distance_[at(to)];
  collect(to);
  switch (routing) {
    case Routing::minimal: split_over_paths(to, route); break;
    case Routing::ecmp: split_at_nodes(from, route); break;
    case Routing::dimension_order: keep_one_path(from, route); break;
  }
  route.latency = slowest(route);
  return route;
}

void PathFinder::search(Node from, Node to) {
  if (from != source_) {
    forget();
    source_ = from;
    reached_.push_back(from);
    distance_[at(from)] = 0;
    paths_[at(from)] = 1;
  }
  auto is_settled = [&] { return distance_[at(to)] >= 0 && distance_[at(reached_[expanded_])] >= distance_[at(to)]; };
  while (expanded_ < reached_.size() && !is_settled()) expand(reached_[expanded_++]);
}

void PathFinder::expand(Node node) {
  if (node != source_ && !forwards(node)) return;
  const auto [begin, end] = out_edges(static_cast<std::uint32_t>(node), graph_.graph);
  searched_ += static_cast<std::uint64_t>(end - begin);
  for (auto edge = begin; edge != end; ++edge) {
    const Node next = static_cast<Node>(target(*edge, graph_.graph));
    if (distance_[at(next)] < 0) {
      distance_[at(next)] = distance_[at(node)] + 1;
      paths_[at(next)] = paths_[at(node)];
      reached_.push_back(next);
    } else if (distance_[at(next)] == distance_[at(node)] + 1) {
      paths_[at(next)] = counted_sum(paths_[at(next)], paths_[at(node)]);
    } else {
      continue;
    }
    arrival_list_.push_back({graph_.graph[*edge], arrivals_[at(next)]});
    arrivals_[at(next)] = static_cast<std::int32_t>(arrival_list_.size()) - 1;
  }
}

void PathFinder::forget() {
  for (const Node node : reached_) {
    distance_[at(node)] = -1;
    arrivals_[at(node)] = -1;
  }
  reached_.clear();
  arrival_list_.clear();
  expanded_ = 0;
}

/// Collects all nodes and links on shortest paths to `to`: the nodes backward, the links by hop.
void PathFinder::collect(Node to) {
  on_paths_.assign(1, to);
  used_.clear();
  work_[at(to)] = 1;
  for (std::size_t k = 0; k < on_paths_.size(); ++k)
    for (auto a = arrivals_[at(on_paths_[k])]; a >= 0; a = arrival_list_[static_cast<std::size_t>(a)].next) {
      const Link link = arrival_list_[static_cast<std::size_t>(a)].link;
      const Node from = links_[static_cast<std::size_t>(link)].from;
      used_.push_back({link, distance_[at(from)], 0});
      if (work_[at(from)] != 0) continue;
      work_[at(from)] = 1;
      on_paths_.push_back(from);
    }
  for (const Node node : on_paths_) work_[at(node)] = 0;
  std::reverse(used_.begin(), used_.end());
}

/// The number of paths over a link is (paths to its beginning) * (paths from its end to the target).
void PathFinder::split_over_paths(Node to, Route& route) {
  route.parts = paths_[at(to)];
  auto& onward = work_;
  onward[at(to)] = 1;
  for (auto share = used_.rbegin(); share != used_.rend(); ++share) {
    const LinkData& link = links_[static_cast<std::size_t>(share->link)];
    onward[at(link.from)] += onward[at(link.to)];
    share->weight = counted_product(paths_[at(link.from)], onward[at(link.to)]);
  }
  for (const Node node : on_paths_) onward[at(node)] = 0;
  route.shares = used_;
}

/// Hop by hop, splits what arrives at a node evenly over the links that lead on. At each hop all earlier weights are
/// multiplied so that the splits are whole numbers.
void PathFinder::split_at_nodes(Node from, Route& route) {
  std::vector<std::uint64_t>& degree = work_;
  for (const RouteShare& share : used_) ++degree[at(links_[static_cast<std::size_t>(share.link)].from)];
  std::vector<std::uint64_t> factor(static_cast<std::size_t>(route.hops), 1);
  for (const RouteShare& share : used_) {
    auto& f = factor[static_cast<std::size_t>(share.hop)];
    f = f == 0 ? 0
               : counted_product(f / std::gcd(f, degree[at(links_[static_cast<std::size_t>(share.link)].from)]),
                                 degree[at(links_[static_cast<std::size_t>(share.link)].from)]);
  }
  for (const std::uint64_t f : factor) route.parts = counted_product(route.parts, f);
  std::unordered_map<Node, std::uint64_t> arriving{{from, route.parts}};
  for (RouteShare& share : used_) {
    const LinkData& link = links_[static_cast<std::size_t>(share.link)];
    share.weight = arriving[link.from] / degree[at(link.from)];
    arriving[link.to] += share.weight;
  }
  for (const Node node : on_paths_) degree[at(node)] = 0;
  route.shares = used_;
}

void PathFinder::keep_one_path(Node from, Route& route) {
  Node here = from;
  for (std::size_t k = 0; k < used_.size();) {
    const std::int32_t hop = used_[k].hop;
    const RouteShare* first = nullptr;
    for (; k < used_.size() && used_[k].hop == hop; ++k)
      if (links_[static_cast<std::size_t>(used_[k].link)].from == here &&
          (first == nullptr || used_[k].link < first->link))
        first = &used_[k];
    route.shares.push_back({first->link, hop, 1});
    here = links_[static_cast<std::size_t>(first->link)].to;
  }
}

double PathFinder::slowest(const Route& route) {
  double most = 0;
  for (const RouteShare& share : route.shares) {
    const LinkData& link = links_[at(share.link)];
    double& there = delay_[at(link.to)];
    there = std::max(there, delay_[at(link.from)] + link.latency);
    most = std::max(most, there);
  }
  for (const Node node : on_paths_) delay_[at(node)] = 0;
  return most;
}

Router::Router(const Network& network, Routing routing) : network_(network), routing_(routing) {
  assert(routing != Routing::dimension_order || network.grid());
  if (!network.grid()) return;
  const auto& lines = network.grid()->lines;
  line_cache_.resize(lines.size());
  line_graphs_.reserve(lines.size());
  for (const Line& line : lines) {
    line_graphs_.push_back(graph_of(line.nodes, line.links));
    line_finders_.emplace_back(*line_graphs_.back(), line.links);
    turned_lines_.push_back(line.is_turned_onto_itself(1));
  }
  if (network.grid()->has_boards()) use_boards();
}

void Router::use_boards() {
  const Grid& grid = *network_.grid();
  for (const Line& line : grid.lines) {
    const auto is_board_link = [&](Link l) { return static_cast<std::size_t>(l) < line.board_links; };
    board_graphs_.push_back(graph_of(line.nodes, line.links, is_board_link));
    board_finders_.emplace_back(*board_graphs_.back(), line.links);
  }
  board_graphs_.push_back(graph_of(network_.nodes(), network_.links(), [&](Link l) { return grid.is_board_link(l); }));
  board_finders_.emplace_back(*board_graphs_.back(), network_.links(), &network_.forwarding());
}

std::uint64_t Router::searched() const {
  std::uint64_t sum = finder_ ? finder_->searched() : 0;
  for (const PathFinder& finder : line_finders_) sum += finder.searched();
  for (const PathFinder& finder : board_finders_) sum += finder.searched();
  for (const auto& [lane, finding] : avoiding_) sum += finding.first.searched();
  return sum;
}

/// The part of a route along one dimension: where it begins and ends, and its line.
struct Router::LineLeg {
  Rank from;
  Rank to;
  Link base;  // the line's first link
};

/// The part from `here` to `target`'s coordinate of the dimension; `stride` is the distance of its seats' numbers.
Router::LineLeg Router::leg_along(std::size_t dimension, Rank stride, Node here, Node target) const {
  const Grid& grid = *network_.grid();
  const Line& line = grid.lines[dimension];
  const Rank row = here / (stride * line.side) * stride + here % stride;
  return {here / stride % line.side, target / stride % line.side,
          grid.first_link[dimension] + row * static_cast<Link>(line.links.size())};
}

RouteView Router::route(Rank src, Rank dst, int lane) {
  const Node from = network_.seat(src);
  const Node to = network_.seat(dst);
  const PinnedRoutes* pinned = network_.pinned();
  if (pinned == nullptr) return shortest_route(from, to);
  if (const Route* route = pinned->find(src, dst, lane)) return {route};
  if (const auto* forwards = pinned->forwarding(lane)) return {&avoiding_route(from, to, lane, *forwards)};
  return shortest_route(from, to);
}

RouteView Router::shortest_route(Node from, Node to) {
  if (!network_.grid()) return {&whole_route(from, to)};
  Rank stride = network_.ranks();
  for (std::size_t d = 0; d < network_.grid()->lines.size(); ++d) {
    stride /= network_.grid()->lines[d].side;
    const LineLeg leg = leg_along(d, stride, from, to);
    if (leg.from == leg.to) continue;
    if (from - leg.from * stride != to - leg.to * stride) break;
    if (!turned_lines_[d]) return {&line_route(d, leg.from, leg.to), leg.base};
    const Line& line = network_.grid()->lines[d];
    return {&line_route(d, 0, around(leg.to - leg.from, line.side)), leg.base, leg.from * line.links_of_seat(),
            static_cast<Link>(line.links.size())};
  }
  return {routing_ == Routing::dimension_order ? &by_dimensions(from, to) : &whole_route(from, to)};
}

Route Router::find_in_line(std::size_t d, Rank from, Rank to) {
  if (!board_finders_.empty())
    if (Route on_board = board_finders_[d].find(from, to, routing_); on_board.hops > 0) return on_board;
  return line_finders_[d].find(from, to, routing_);
}

Route Router::find_in_whole(Node from, Node to) {
  if (!board_finders_.empty())
    if (Route on_board = board_finders_.back().find(from, to, routing_); on_board.hops > 0) return on_board;
  if (!finder_) finder_.emplace(network_.graph(), network_.links(), &network_.forwarding());
  return finder_->find(from, to, routing_);
}

const Route& Router::line_route(std::size_t d, Rank from, Rank to) {
  const std::uint64_t key = key_of(from, to);
  if (const auto known = line_cache_[d].find(key); known != line_cache_[d].end()) return known->second;
  return remember(line_cache_[d], key, find_in_line(d, from, to));
}

const Route& Router::whole_route(Node from, Node to) {
  const std::uint64_t key = key_of(from, to);
  if (const auto known = cache_.find(key); known != cache_.end()) return known->second;
  return remember(cache_, key, find_in_whole(from, to));
}

const Route& Router::avoiding_route(Node from, Node to, int lane, const std::vector<bool>& forwards) {
  auto found = avoiding_.find(lane);
  if (found == avoiding_.end())
    found = avoiding_.try_emplace(lane, PathFinder(network_.graph(), network_.links(), &forwards), Cache()).first;
  auto& [finder, cache] = found->second;
  const std::uint64_t key = key_of(from, to);
  if (const auto known = cache.find(key); known != cache.end()) return known->second;
  return remember(cache, key, finder.find(from, to, routing_));
}

const Route& Router::by_dimensions(Node from, Node to) {
  const std::uint64_t key = key_of(from, to);
  if (const auto known = cache_.find(key); known != cache_.end()) return known->second;
  Route route;
  Rank stride = network_.ranks();
  Node here = from;
  for (std::size_t d = 0; d < network_.grid()->lines.size(); ++d) {
    stride /= network_.grid()->lines[d].side;
    const LineLeg leg = leg_along(d, stride, here, to);
    const Route part = find_in_line(d, leg.from, leg.to);
    for (const RouteShare& share : part.shares)
      route.shares.push_back({leg.base + share.link, route.hops + share.hop, share.weight});
    route.hops += part.hops;
    route.latency += part.latency;
    here += (leg.to - leg.from) * stride;
  }
  return remember(cache_, key, std::move(route));
}

const Route& Router::remember(Cache& cache, std::uint64_t key, Route route) {
  if (kept_ + route.shares.size() > most_kept) {
    cache_.clear();
    for (Cache& lines : line_cache_) lines.clear();
    for (auto& [lane, finding] : avoiding_) finding.second.clear();
    kept_ = 0;
    ++forgotten_;
  }
  kept_ += route.shares.size() + 8;
  return cache.insert_or_assign(key, std::move(route)).first->second;
}

}  // namespace onceover::network
