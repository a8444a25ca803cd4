// A network: ranks and switches, and the directed links between them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/types.h"

namespace onceover::network {

/// A place in a network: 0 .. ranks-1 are the seats that ranks take, the others are switches.
using Node = std::int32_t;

/// A directed link, 0 .. link_count-1.
using Link = std::int32_t;

struct LinkData {
  Node from;
  Node to;
  double bandwidth;  // Gb/s, above 0
  double latency;    // ns, 0 or more
};

/// The network as a graph of Boost's; see network/graph.h.
struct LinkGraph;

/// A network of one dimension that is repeated in every row of a grid: a ring, a path, boards with a switch, ..
/// Nodes 0 .. side-1 are the row's seats, further ones its switches.
struct Line {
  Rank side;
  Node nodes;                   // seats and switches
  std::vector<LinkData> links;  // between nodes of the line
  std::size_t board_links = 0;  // the first so many; messages between seats that they join take no others
};

/// That the network is a grid of lines, one along each dimension through every seat; seats are numbered row-major. Link
/// j of the line with index x of dimension d is link first_link[d] + x * lines[d].links.size() + j; lines of a
/// dimension are numbered row-major by their seats' other coordinates.
struct Grid {
  std::vector<Line> lines;  // one a dimension
  std::vector<Link> first_link;

  std::vector<Rank> sides() const;

  /// Do some messages have to stay on board links?
  bool has_boards() const;

  /// Is the link, of all lines, one of its line's board links?
  bool is_board_link(Link link) const;
};

/// A network. Immutable. Memory: 40 bytes a link.
class Network {
 public:
  /// `links` are between nodes 0 .. nodes-1, the first `ranks` of which are seats.
  Network(std::string name, Rank ranks, Node nodes, int ports, std::vector<LinkData> links);

  /// A grid of lines; nobody but their switches and seats is in it.
  Network(std::string name, std::vector<Line> lines, int ports);

  /// "torus 4x4", "fat-tree ..": what a reader calls it.
  const std::string& name() const { return name_; }

  Rank ranks() const { return ranks_; }
  Node nodes() const { return nodes_; }
  Link link_count() const { return static_cast<Link>(links_.size()); }
  const LinkData& link(Link l) const { return links_[static_cast<std::size_t>(l)]; }
  const std::vector<LinkData>& links() const { return links_; }

  /// Messages that a seat can send at the same time at a link's full speed.
  int ports() const { return ports_; }
  void use_ports(int ports) { ports_ = ports; }

  /// The bandwidth of a port in Gb/s: that of the fastest link of the rank whose fastest link is slowest. 0 without
  /// links.
  double port_bandwidth() const;

  /// May messages pass through the node on their way between others? Switches and, unless told otherwise, ranks.
  bool forwards(Node node) const { return forwards_.empty() || forwards_[static_cast<std::size_t>(node)]; }

  /// One for each node.
  void set_forwards(std::vector<bool> forwards) { forwards_ = std::move(forwards); }

  const LinkGraph& graph() const { return *graph_; }
  const std::optional<Grid>& grid() const { return grid_; }

  /// The node that a rank sits on.
  Node seat(Rank rank) const { return seats_.empty() ? rank : seats_[static_cast<std::size_t>(rank)]; }

  /// Puts rank r on node seats[r]; `seats` is a permutation of 0 .. ranks-1.
  void place(std::vector<Node> seats) { seats_ = std::move(seats); }

  /// "rank 3", "switch 2" or, where the network's file names it, that name.
  std::string node_text(Node node) const;
  std::string link_text(Link link) const;

  /// Names of the nodes, for networks that come from files.
  void name_nodes(std::vector<std::string> names) { names_ = std::move(names); }

  /// A rank, and one that it can't reach, if there are such. Memory: O(nodes + links). Time: that, too, where some
  /// node that forwards, rank 0 or one beside it, reaches all and is reached by all; else up to that for each rank.
  std::optional<std::pair<Rank, Rank>> unreachable() const;

 private:
  std::string name_;
  Rank ranks_;
  Node nodes_;
  int ports_;
  std::vector<LinkData> links_;
  std::shared_ptr<const LinkGraph> graph_;
  std::optional<Grid> grid_;
  std::vector<Node> seats_;  // empty: rank r sits on node r
  std::vector<std::string> names_;
  std::vector<bool> forwards_;  // empty: all do
};

}  // namespace onceover::network
