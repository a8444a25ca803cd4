// Lengths of links under which the ranks are far apart for the capacity of the links: they bound an allreduce from
// below, and are found by packing spanning trees.
#pragma once

#include <functional>
#include <vector>

#include "network/lengths.h"

namespace onceover::network {

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
