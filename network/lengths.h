// Lengths of links: the distances and minimum spanning trees under them, and the packing of trees that finds lengths
// under which the ranks are far apart for the capacity of the links. Those bound an allreduce from below.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "network/port_graph.h"

namespace onceover::network {

/// By arc, 0 or more. Whole numbers must add up to less than 2^62.
using Lengths = std::vector<Whole>;

/// Links by the vertex that they leave.
class Outgoing {
 public:
  Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs);

  /// Of each vertex the distance from the nearest source, which source that is, and the last arc on the path.
  /// Where there is no path, `source` is -1; at a source, `last` is `none`.
  template <class Number>
  struct Nearest {
    static constexpr std::size_t none = ~std::size_t{0};

    std::vector<Number> distance;
    std::vector<std::int32_t> source;
    std::vector<std::size_t> last;
  };

  /// By Dijkstra's algorithm; a Number is a Whole or a double. O(arcs log arcs).
  template <class Number>
  Nearest<Number> nearest(const std::vector<std::int32_t>& sources, const std::vector<Number>& lengths) const;

  /// The distance of each vertex from `source`; -1 if there is no path.
  std::vector<Whole> distances(std::int32_t source, const Lengths& lengths) const;

 private:
  struct Edge {
    std::int32_t to;
    std::size_t arc;
  };
  std::vector<std::size_t> first_;  // by vertex, of its edges
  std::vector<Edge> edges_;
};

/// Is there, for each arc, one between the same vertices the other way that is as long? O(arcs log arcs).
bool are_lengths_two_way(const PortGraph& graph, const Lengths& lengths);

/// A spanning tree of the ranks, whose edges are paths of arcs.
template <class Number>
struct SpanningTree {
  Number length;
  std::vector<std::size_t> arcs;  // of all paths, in one of the two directions; an arc may be there twice
};

/// A minimum spanning tree of the ranks if lengths are the same both ways; `onward` has the arcs of the graph. O(arcs
/// log arcs + arcs of the tree). Source: Mehlhorn, A faster approximation algorithm for the Steiner problem in graphs,
/// IPL 27, 1988.
template <class Number>
SpanningTree<Number> two_way_tree(const PortGraph& graph, const Outgoing& onward, const std::vector<Number>& lengths);

/// The length of a minimum spanning tree of the ranks. Two ranks are as far from each other as in the nearer direction;
/// they must reach each other. O(ranks * arcs log arcs). Throws `Stopped` if all work is to stop.
Whole spanning_tree(const PortGraph& graph, const Lengths& lengths);

/// Garg and Koenemann's method. Each round packs the tree of the ranks that is shortest under the lengths, and
/// lengthens its links by how full it makes them. So links that no packing spares become long. The lengths are doubles;
/// what is offered as a bound are whole numbers near them, to be judged exactly. The graph must have as much capacity
/// from any vertex to another as back; a half-duplex link counts as half of it each way. Source: Garg, Koenemann, FOCS
/// 1998; with trees over a network, Cui, Li, Nahrstedt, SPAA 2004. Memory: O(arcs).
class TreePacking {
 public:
  explicit TreePacking(const PortGraph& graph);

  /// O(arcs log arcs + arcs of the tree).
  void pack_another();

  /// The lengths, of which the largest becomes `largest`, rounded. O(arcs).
  Lengths rounded(Whole largest) const;

 private:
  const PortGraph& graph_;
  Outgoing onward_;
  std::vector<std::size_t> pair_of_;  // by arc: the two vertices that it joins
  std::vector<double> capacity_;      // by pair, of one direction
  std::vector<double> use_;           // by pair, of the tree
  std::vector<double> lengths_;       // by arc
  int packed_ = 0;
};

/// Is there as much capacity from each vertex to another as back? O(arcs log arcs).
bool is_symmetric(const PortGraph& graph);

}  // namespace onceover::network
