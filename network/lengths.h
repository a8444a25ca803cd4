// Distances under lengths of links, and minimum spanning trees of the ranks under them.
#pragma once

#include <cstdint>
#include <vector>

#include "network/port_graph.h"

namespace onceover::network {

/// By arc, 0 or more. Whole numbers must add up to less than 2^62.
using Lengths = std::vector<Whole>;

/// Links by the vertex that they leave.
class Outgoing {
 public:
  Outgoing(std::int32_t vertices, const std::vector<PortGraph::Arc>& arcs);

  /// Of each vertex the distance from the nearest source, which source that is, and the last arc on the way. Where
  /// there is no way, `source` is -1; at a source, `last` is `none`.
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

  /// The distance of each vertex from `source`; -1 if there is no way.
  std::vector<Whole> distances(std::int32_t source, const Lengths& lengths) const;

 private:
  struct Way {
    std::int32_t to;
    std::size_t arc;
  };
  std::vector<std::size_t> first_;  // by vertex, of its ways
  std::vector<Way> ways_;
};

/// Is there, for each arc, one between the same vertices the other way that is as long? O(arcs log arcs).
bool are_lengths_two_way(const PortGraph& graph, const Lengths& lengths);

/// A spanning tree of the ranks. Its joints are ways over arcs.
template <class Number>
struct SpanningTree {
  Number length;
  std::vector<std::size_t> arcs;  // of all ways, in one of the two directions; an arc may be there twice
};

/// A minimum spanning tree of the ranks if lengths are the same both ways; `onward` has the arcs of the graph. O(arcs
/// log arcs + arcs of the tree). Source: Mehlhorn, A faster approximation algorithm for the Steiner problem in graphs,
/// IPL 27, 1988.
template <class Number>
SpanningTree<Number> two_way_tree(const PortGraph& graph, const Outgoing& onward, const std::vector<Number>& lengths);

/// The length of a minimum spanning tree of the ranks. Two ranks are as far from each other as in the nearer direction;
/// they must reach each other. O(ranks * arcs log arcs). Throws `Stopped` if all work is to stop.
Whole spanning_tree(const PortGraph& graph, const Lengths& lengths);

}  // namespace onceover::network
