// Searches for section 6 of the Swing paper: how evenly the algorithms load a torus, and how fast Swing and recursive
// doubling are on fat trees of full bandwidth.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "papers/evidence.h"
#include "papers/paper_settings.h"
#include "papers/searches.h"

namespace onceover::papers {

namespace {

/// On the squares 8x8 and 16x16, does each link carry as much as every other, over all steps?
ClaimFinding loads_links_evenly(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    for (const Rank side : {8, 16}) {
      const std::vector<Rank> shape{side, side};
      const auto schedule = find_algorithm(row.algorithm)->make(request_for(row, shape));
      const LinkLoads total = measured(*schedule, network_of("torus", shape)).total;
      for (Link link = 1; link < total.links(); ++link)
        if (total.load(link) != total.load(0))
          return {.refutation = Refutation{fmt::format("{}, torus {}x{}", row.algorithm, side, side),
                                           fmt::format("one link carries {} blocks, another {}", total.load(0).str(),
                                                       total.load(link).str())}};
    }
  return {};
}

/// The time of a row on 16 ranks below switches of that radix, in ns.
double time_on_fat_tree(std::string_view row, int radix, double bytes) {
  const auto schedule = find_algorithm(row)->make(on_line(Collective::allreduce, 16));
  const Network network = network_of(fmt::format("fat-tree:radix={}", radix), {16});
  return sure(cost(*schedule, network, {}, {})).time(bytes);
}

/// Does Swing take as long as recursive doubling on 16 ranks, to within that part?
ClaimFinding as_fast_on_fat_tree(int radix, double bytes, double within) {
  for (const auto& [swing, doubling] : {std::pair{"swing-latency", "recursive-doubling"}, {"swing", "rabenseifner"}}) {
    const double ours = time_on_fat_tree(swing, radix, bytes);
    const double other = time_on_fat_tree(doubling, radix, bytes);
    if (std::abs(ours - other) > within * other)
      return {.refutation = Refutation{
                  fmt::format("16 ranks, fat tree of radix {}, {} B", radix, bytes),
                  fmt::format("{} takes {:.1f} us, {} {:.1f} us", swing, ours / 1000, doubling, other / 1000)}};
  }
  return {};
}

}  // namespace

std::vector<NamedEvidence> swing_discussion() {
  static const std::vector<Row> on_all_ports{
      {"hamiltonian-ring", true}, {"bucket", true}, {"swing-latency", true}, {"swing", true}};
  static const std::vector<Row> on_one_port{{"recursive-doubling", false}, {"rabenseifner", false}};
  return {
      {"even-traffic-on-all-ports", search("tori 8x8, 16x16", [] { return loads_links_evenly(on_all_ports); })},
      {"even-traffic-on-one-port", search("tori 8x8, 16x16", [] { return loads_links_evenly(on_one_port); })},
      {"swing-as-fast-on-fat-trees",
       search("16 ranks, radix 8, 32 B", [] { return as_fast_on_fat_tree(8, 32, 1e-9); })},
      {"swing-as-fast-on-one-switch",
       search("16 ranks, radix 16, 32 B", [] { return as_fast_on_fat_tree(16, 32, 1e-9); })},
      {"swing-as-fast-for-large-vectors",
       search("16 ranks, radix 8, 512 MiB, to within 0.1 %", [] { return as_fast_on_fat_tree(8, 512 * mib, 1e-3); })},
  };
}

}  // namespace onceover::papers
