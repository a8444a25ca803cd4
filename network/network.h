// Network: ranks and switches, and the directed links between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/types.h"

namespace onceover::network {

/// A place in a network: 0 .. ranks-1 are seats for ranks, the others are switches.
using Node = std::int32_t;

/// The number of a directed link, 0 .. link_count-1.
using Link = std::int32_t;

struct LinkData {
  Node from;
  Node to;
  double bandwidth;  // Gb/s, above 0
  double latency;    // ns, 0 or more
};

/// The network as a Boost graph; see network/graph.h.
struct LinkGraph;

/// A network of one dimension, repeated in every row of a grid: a ring, a path, boards with a switch, .. Nodes 0 ..
/// side-1 are the row's seats, further ones its switches.
struct Line {
  Rank side;
  Node nodes;                   // seats and switches
  std::vector<LinkData> links;  // between nodes of the line
  std::size_t board_links = 0;  // the first links join a board; messages between seats that they join use only these

  /// Does turning the line by `stride` seats take each link to one like it, with the links of a seat in their order?
  /// Each seat then has `links_of_seat` links, numbered from its own number times that. O(links).
  bool is_turned_onto_itself(Rank stride) const;
  Link links_of_seat() const { return static_cast<Link>(links.size()) / side; }
};

/// A grid of lines: one line along each dimension through every seat. Seats are numbered row-major. Link j of the line
/// with index x of dimension d is link first_link[d] + x * lines[d].links.size() + j. The lines of a dimension are
/// numbered row-major by their seats' other coordinates.
struct Grid {
  std::vector<Line> lines;  // one for each dimension
  std::vector<Link> first_link;

  std::vector<Rank> sides() const;

  /// Must some messages stay on board links?
  bool has_boards() const;

  /// Is the link, in the numbers of the whole grid, a board link of its line?
  bool is_board_link(Link link) const;
};

/// Switches in groups of `size`, numbered group by group from `first` on, such as the routers of a dragonfly.
struct SwitchGroups {
  Node first;
  Node size;
};

class PinnedRoutes;

/// A network. Immutable. Memory: 40 bytes a link; 44 if some are half duplex.
class Network {
 public:
  /// `links` join nodes 0 .. nodes-1, of which the first `ranks` are seats.
  Network(std::string name, Rank ranks, Node nodes, int ports, std::vector<LinkData> links);

  /// A grid of lines, with no nodes except their seats and switches.
  Network(std::string name, std::vector<Line> lines, int ports);

  /// "torus 4x4", "fat-tree ..": the name for readers.
  const std::string& name() const { return name_; }

  Rank ranks() const { return ranks_; }
  Node nodes() const { return nodes_; }
  Link link_count() const { return static_cast<Link>(links_.size()); }
  const LinkData& link(Link l) const { return links_[static_cast<std::size_t>(l)]; }
  const std::vector<LinkData>& links() const { return links_; }

  /// How many messages a seat can send at the same time at a link's full speed.
  int ports() const { return ports_; }
  void use_ports(int ports) { ports_ = ports; }

  /// The bandwidth of a port in Gb/s: the smallest, over all ranks, of the bandwidth of a rank's fastest link. 0
  /// without links.
  double port_bandwidth() const { return port_bandwidth_; }

  /// May messages between other nodes pass through this node? Switches forward, and ranks too unless `set_forwards`
  /// says otherwise.
  bool forwards(Node node) const { return forwards_.empty() || forwards_[static_cast<std::size_t>(node)]; }

  /// By node; empty: all forward.
  const std::vector<bool>& forwarding() const { return forwards_; }

  /// `forwards` has an entry for each node.
  void set_forwards(std::vector<bool> forwards) { forwards_ = std::move(forwards); }

  /// Makes links half duplex: such a link and the way back have its bandwidth together, not each. `is_half` has an
  /// entry for each link. Returns a link that has no way back of the same bandwidth that is half duplex, too; nothing
  /// changes then. O(links log links).
  [[nodiscard]] std::optional<Link> make_half_duplex(const std::vector<bool>& is_half);

  bool is_half_duplex() const { return !reverse_.empty(); }

  /// The link that shares its bandwidth with this one; -1 if it has its own.
  Link reverse_link(Link l) const { return reverse_.empty() ? -1 : reverse_[static_cast<std::size_t>(l)]; }

  /// The links as a graph, which is made when it is first asked for. O(links) then.
  const LinkGraph& graph() const;
  const std::optional<Grid>& grid() const { return grid_; }

  /// The groups of all switches, if there are such.
  const std::optional<SwitchGroups>& groups() const { return groups_; }
  void group_switches(SwitchGroups groups) { groups_ = groups; }

  /// The node on which a rank sits.
  Node seat(Rank rank) const { return seats_.empty() ? rank : seats_[static_cast<std::size_t>(rank)]; }

  /// Puts rank r on node seats[r]; `seats` is a permutation of 0 .. ranks-1.
  void place(std::vector<Node> seats) { seats_ = std::move(seats); }

  /// Has messages of some lanes or between some ranks take other ways than shortest paths; see pinned_routes.h.
  void pin(std::shared_ptr<const PinnedRoutes> routes) { pinned_ = std::move(routes); }
  const PinnedRoutes* pinned() const { return pinned_.get(); }

  /// Does each rank sit on the node of its number, do all nodes forward, and is no way pinned?
  bool treats_seats_alike() const { return seats_.empty() && forwards_.empty() && pinned_ == nullptr; }

  /// The node's name in the network's file; empty if the network is not from a file.
  const std::string& name_in_file(Node node) const;

  /// "rank 3", "switch 2", or the node's name in the network's file.
  std::string node_text(Node node) const;
  std::string link_text(Link link) const;

  void rename(std::string name) { name_ = std::move(name); }

  /// Names of the nodes, for networks that come from files.
  void name_nodes(std::vector<std::string> names) { names_ = std::move(names); }

  /// A rank and another that it can't reach, if there are such. Memory: O(nodes + links), of a grid those of a line.
  /// Time: the same if rank 0 or a node beside it forwards, reaches all ranks and is reached by all; otherwise up to
  /// that for each rank.
  std::optional<std::pair<Rank, Rank>> unreachable() const;

 private:
  bool has_joined_lines() const;

  std::string name_;
  Rank ranks_;
  Node nodes_;
  int ports_;
  std::vector<LinkData> links_;
  double port_bandwidth_;
  struct LazyGraph;
  std::shared_ptr<LazyGraph> graph_;  // of copies, too: the links never change
  std::optional<Grid> grid_;
  std::optional<SwitchGroups> groups_;
  std::vector<Node> seats_;  // empty: rank r sits on node r
  std::vector<std::string> names_;
  std::vector<bool> forwards_;  // empty: all forward
  std::vector<Link> reverse_;   // by link, see `reverse_link`; empty: none is half duplex
  std::shared_ptr<const PinnedRoutes> pinned_;
};

}  // namespace onceover::network
