// Which links the messages of a schedule take.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "network/network.h"

namespace onceover::network {

/// How a flow finds its way. All take only paths with the fewest links; of a network that keeps messages of a board on
/// it (Line::board_links), the fewest of the board's.
enum class Routing : std::uint8_t {
  minimal,          // split evenly over all shortest paths: minimal adaptive routing in its balanced state
  ecmp,             // split evenly at every node over the links that are on a shortest path
  dimension_order,  // grids only: one path, the first dimension first; half-way around a ring to the right
};

std::string_view name(Routing routing);

/// A link's part of a flow: `weight` of the route's `parts`. `hop` is how many links lie before it.
struct RouteShare {
  Link link;
  std::int32_t hop;
  std::uint64_t weight;
};

/// The links that a flow uses. Exact: weight / parts is the fraction of the flow that crosses a link.
struct Route {
  std::vector<RouteShare> shares;  // by hop, upward
  std::uint64_t parts = 1;         // 0: the paths are too many to be counted in 64 bits
  std::int32_t hops = 0;           // links on each path
  double latency = 0;              // ns, the sum over the links of the slowest path
};

/// A route seen in its place: `base` is to be added to the links of its shares.
struct RouteView {
  const Route* route;
  Link base = 0;

  Link link(const RouteShare& share) const { return base + share.link; }
};

/// Shortest paths in a graph, by breadth-first search. A search goes on where the last one from the same node ended.
/// Memory: O(nodes and links reached).
class PathFinder {
 public:
  /// With a network, its nodes that don't forward are ends of paths only.
  PathFinder(const LinkGraph& graph, const std::vector<LinkData>& links, const Network* network = nullptr);

  /// The route; without shares if `from` is `to` or can't reach it. O(links searched).
  Route find(Node from, Node to, Routing routing);

  /// Links looked at so far, in all searches.
  std::uint64_t searched() const { return searched_; }

 private:
  struct Arrival {  // a link that reaches a node on a shortest path, and the next one that does
    Link link;
    std::int32_t next;
  };

  void search(Node from, Node to);
  void expand(Node node);
  void forget();
  void collect(Node to);
  void split_over_paths(Node to, Route& route);
  void split_at_nodes(Node from, Route& route);
  void keep_one_path(Node from, Route& route);
  double slowest(Node from, const Route& route);

  const LinkGraph& graph_;
  const std::vector<LinkData>& links_;
  const Network* network_;
  std::uint64_t searched_ = 0;
  Node source_ = -1;
  std::vector<Node> reached_;  // in the order of their distance
  std::size_t expanded_ = 0;   // how many of them
  std::vector<std::int32_t> distance_;
  std::vector<std::uint64_t> paths_;  // from the source; 0: too many to count
  std::vector<std::int32_t> arrivals_;
  std::vector<Arrival> arrival_list_;
  std::vector<Node> on_paths_;       // nodes on shortest paths to the target, backward
  std::vector<RouteShare> used_;     // links on them, by hop
  std::vector<std::uint64_t> work_;  // a number a node, 0 where unused
};

/// Routes between ranks. Routes along one line of a grid are found in the line alone; others by a search of the whole
/// network. Where board links join both ends, only these are searched. Routes found are kept, up to 32 MiB of them. Not
/// thread-safe: one for each thread.
class Router {
 public:
  /// `network` must outlive the router; dimension_order needs a grid.
  Router(const Network& network, Routing routing);

  /// Valid until the next call.
  RouteView route(Rank src, Rank dst);

  /// Links looked at in searches so far: the work besides that of following routes.
  std::uint64_t searched() const;

 private:
  using Cache = std::unordered_map<std::uint64_t, Route>;

  struct LineWay;

  LineWay way_along(std::size_t dimension, Rank stride, Node here, Node target) const;
  void use_boards();
  Route find_in_line(std::size_t dimension, Rank from, Rank to);
  Route find_in_whole(Node from, Node to);
  const Route& line_route(std::size_t dimension, Rank from, Rank to);
  const Route& whole_route(Node from, Node to);
  const Route& by_dimensions(Node from, Node to);
  const Route& remember(Cache& cache, std::uint64_t key, Route route);

  const Network& network_;
  Routing routing_;
  std::vector<std::shared_ptr<const LinkGraph>> line_graphs_;
  std::vector<PathFinder> line_finders_;
  PathFinder finder_;
  // Along board links alone; none where the network has none.
  std::vector<std::shared_ptr<const LinkGraph>> board_graphs_;  // of each line, and of the whole network
  std::vector<PathFinder> board_finders_;
  std::vector<Cache> line_cache_;
  Cache cache_;
  std::size_t kept_ = 0;  // shares in the caches
};

}  // namespace onceover::network
