// Routing: which links the messages of a schedule take.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "network/network.h"

namespace onceover::network {

/// How a flow finds its route. Every kind uses only paths with the fewest links. In a network that keeps the messages
/// of a board on that board (Line::board_links), it uses the shortest paths on the board.
enum class Routing : std::uint8_t {
  minimal,          // split evenly over all shortest paths: minimal adaptive routing in its balanced state
  ecmp,             // split evenly at every node over the links that are on a shortest path
  dimension_order,  // grids only: one path, the first dimension first; half-way around a ring it goes right
};

std::string_view name(Routing routing);

/// A link's part of a flow: `weight` of the route's `parts`. `hop` is the number of links before it.
struct RouteShare {
  Link link;
  std::int32_t hop;
  std::uint64_t weight;
};

/// The links that a flow uses. Exact: weight / parts is the fraction of the flow that crosses a link.
struct Route {
  std::vector<RouteShare> shares;  // by hop, ascending
  std::uint64_t parts = 1;         // 0: there are too many paths for 64 bits
  std::int32_t hops = 0;           // links on each path
  double latency = 0;              // ns, the sum over the links of the slowest path
};

/// A route at its place in the network: its links are those of a line that begins at `base`, turned by `turn` links.
struct RouteView {
  const Route* route;
  Link base = 0;
  Link turn = 0;
  Link around = std::numeric_limits<Link>::max();  // links of the line; that many mean no line

  Link link(const RouteShare& share) const {
    const Link turned = share.link + turn;
    return base + (turned < around ? turned : turned - around);
  }
};

/// Finds shortest paths in a graph by breadth-first search. A search continues where the last one from the same node
/// ended. Memory: O(nodes and links reached).
class PathFinder {
 public:
  /// Nodes that don't forward, of which `forwards` says by node, can only be ends of paths; without it, or if it is
  /// empty, all forward.
  PathFinder(const LinkGraph& graph, const std::vector<LinkData>& links, const std::vector<bool>* forwards = nullptr);

  /// The route; it has no shares if `from` is `to` or can't reach it. O(links searched).
  Route find(Node from, Node to, Routing routing);

  /// How many links all searches have looked at so far.
  std::uint64_t searched() const { return searched_; }

 private:
  struct Arrival {  // a link that reaches a node on a shortest path, and the next one that does
    Link link;
    std::int32_t next;
  };

  std::optional<Link> only_way_out(Node from) const;
  bool forwards(Node node) const;
  bool may_pass(Node node, Node to) const;
  Route find_by_search(Node from, Node to, Routing routing);
  void search(Node from, Node to);
  void expand(Node node);
  void forget();
  void collect(Node to);
  void split_over_paths(Node to, Route& route);
  void split_at_nodes(Node from, Route& route);
  void keep_one_path(Node from, Route& route);
  double slowest(const Route& route);

  const LinkGraph& graph_;
  const std::vector<LinkData>& links_;
  const std::vector<bool>* forwards_;  // null: all do
  std::uint64_t searched_ = 0;
  Node source_ = -1;
  std::vector<Node> reached_;  // in the order of their distance
  std::size_t expanded_ = 0;   // how many of them are expanded
  std::vector<std::int32_t> distance_;
  std::vector<std::uint64_t> paths_;  // from the source; 0: too many to count
  std::vector<std::int32_t> arrivals_;
  std::vector<Arrival> arrival_list_;
  std::vector<Node> on_paths_;       // nodes on shortest paths to the target, backward
  std::vector<RouteShare> used_;     // links on them, by hop
  std::vector<std::uint64_t> work_;  // by node; 0 where unused
  std::vector<double> delay_;        // the same
};

/// Finds routes between ranks. A route along one line of a grid is found in that line alone, and if all seats of the
/// line are alike, only from its first one; others are found by a search of the whole network. If board links join both
/// ends, only board links are searched. Up to 32 MiB of routes are kept. Not thread-safe: use one for each thread.
class Router {
 public:
  /// `network` must outlive the router; dimension_order needs a grid.
  Router(const Network& network, Routing routing);

  /// The route of a lane's message, valid until the next call; longer while `forgotten` stays the same. Lanes matter
  /// only where ways are pinned.
  RouteView route(Rank src, Rank dst, int lane = 0);

  /// How often the routes kept so far were dropped, to make room.
  std::uint64_t forgotten() const { return forgotten_; }

  /// How many links searches have looked at so far: the work besides following the routes.
  std::uint64_t searched() const;

 private:
  using Cache = std::unordered_map<std::uint64_t, Route>;

  struct LineLeg;

  LineLeg leg_along(std::size_t dimension, Rank stride, Node here, Node target) const;
  void use_boards();
  Route find_in_line(std::size_t dimension, Rank from, Rank to);
  Route find_in_whole(Node from, Node to);
  RouteView shortest_route(Node from, Node to);
  const Route& avoiding_route(Node from, Node to, int lane, const std::vector<bool>& forwards);
  const Route& line_route(std::size_t dimension, Rank from, Rank to);
  const Route& whole_route(Node from, Node to);
  const Route& by_dimensions(Node from, Node to);
  const Route& remember(Cache& cache, std::uint64_t key, Route route);

  const Network& network_;
  Routing routing_;
  std::vector<std::shared_ptr<const LinkGraph>> line_graphs_;
  std::vector<PathFinder> line_finders_;
  std::optional<PathFinder> finder_;  // of the whole network; made when it is first needed
  // Along board links only; empty if the network has none.
  std::vector<std::shared_ptr<const LinkGraph>> board_graphs_;  // of each line, then of the whole network
  std::vector<PathFinder> board_finders_;
  std::vector<bool> turned_lines_;  // are all seats of the line alike?
  std::vector<Cache> line_cache_;
  Cache cache_;
  std::map<int, std::pair<PathFinder, Cache>> avoiding_;  // by lane
  std::size_t kept_ = 0;                                  // shares in the caches
  std::uint64_t forgotten_ = 0;
};

}  // namespace onceover::network
