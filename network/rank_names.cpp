#include "network/rank_names.h"

#include <fmt/format.h>

namespace onceover::network {

std::string node_text(const Network& network, Node node, const Names& names) {
  if (node >= network.ranks()) return network.node_text(node);
  Rank sitting = network.seat(node) == node ? node : 0;
  while (network.seat(sitting) != node) ++sitting;
  return "rank " + names.rank(sitting);
}

std::string link_text(const Network& network, Link link, const Names& names) {
  const LinkData& ends = network.link(link);
  return fmt::format("{} -> {}", node_text(network, ends.from, names), node_text(network, ends.to, names));
}

Unroutable not_well_formed(const Transfer& transfer, const Names& names, int step) {
  return {Unroutable::Kind::ill_formed,
          fmt::format("step {}: the transfer from rank {} to rank {} is not well-formed; 'verify' says why",
                      names.step(step), names.rank(transfer.src), names.rank(transfer.dst))};
}

Unroutable no_way(Rank from, Rank to, const Names& names) {
  return {Unroutable::Kind::ill_formed, fmt::format("rank {} can't reach rank {}", names.rank(from), names.rank(to))};
}

}  // namespace onceover::network
