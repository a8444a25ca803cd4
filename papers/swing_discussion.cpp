// Searches for sections 5.2 and 6 of the Swing paper: whether bucket's lanes should wait for each other, how evenly the
// algorithms load a torus, and how fast Swing and recursive doubling are on fat trees of full bandwidth.

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

/// Bucket's time on a torus with all lanes, in ns.
double bucket_time(const std::vector<Rank>& shape, std::string_view waiting, double bytes) {
  Request request = request_for({"bucket", true}, shape);
  request.settings["waiting"] = waiting;
  return sure(cost(*find_algorithm("bucket")->make(request), network_of("torus", shape), {}, {})).time(bytes);
}

/// On each rectangle of figure 11 and at each size, is bucket faster with the first way to wait than with the second?
ClaimFinding bucket_is_faster(std::string_view way, std::string_view other, const std::vector<double>& sizes) {
  for (const std::vector<Rank>& shape : {std::vector<Rank>{64, 16}, {128, 8}, {256, 4}})
    for (const double bytes : sizes) {
      const double time = bucket_time(shape, way, bytes);
      const double than = bucket_time(shape, other, bytes);
      if (time >= than)
        return {.refutation = Refutation{fmt::format("torus {}x{}, {} B", shape[0], shape[1], bytes),
                                         fmt::format("with waiting={} it takes {:.1f} us, with waiting={} {:.1f} us",
                                                     way, time / 1000, other, than / 1000)}};
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
  const std::string rectangles = "tori 64x16, 128x8, 256x4, ";
  return {
      {"bucket-together-is-faster",
       search(rectangles + "32 B to 512 MiB",
              [] {
                return bucket_is_faster("spread", "no", {32, 2 * kib, 2 * mib, 32 * mib, 512 * mib});
              })},
      {"bucket-together-is-faster-from-32-mib",
       search(rectangles + "32 to 512 MiB",
              [] {
                return bucket_is_faster("spread", "no", {32 * mib, 128 * mib, 512 * mib});
              })},
      {"bucket-apart-is-faster-to-2-mib", search(rectangles + "32 B to 2 MiB",
                                                 [] {
                                                   return bucket_is_faster("no", "spread", {32, 2 * kib, 2 * mib});
                                                 })},
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
