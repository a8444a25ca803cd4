// Searches for claims of the Swing paper that limits and formulas can't express. Each tries a fixed range, smallest
// case first; the first case in which the sentence doesn't hold is the counterexample.
//
// Some look at transfers of the catalogue: which rank sends to which, over which links, in which direction. Others need
// no schedule, only the paper's rule for peers: `path_counts` counts in how many ways each rank's data reaches each
// other rank, by adding up along the peers step by step.
//
// Example: for p = 6 and 3 steps, some ranks' data reaches others twice, once in the last step and once before.
//
// Ranges are fixed, so all searches end. `path_counts` takes O(p^2) a step, and p stays below 260. Cycles are found by
// trying all ways, which is exponential and done on 3x4 only.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "network/link_loads.h"
#include "papers/evidence.h"
#include "papers/papers.h"
#include "papers/searches.h"
#include "schedules/listed_schedule.h"
#include "schedules/numbers.h"
#include "schedules/types.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

using Shape = std::vector<Rank>;

SchedulePtr make(std::string_view row, const Request& request) {
  return find_algorithm(row)->make(request);
}

Contention on_torus(const Schedule& schedule, const std::vector<Rank>& shape) {
  return measured(schedule, network_of("torus", shape));
}

ExactDeficiencies deficiencies_on(const Shape& shape, std::string_view row) {
  return sure(on_torus(*make(row, {Collective::allreduce, shape, true}), shape).exact);
}

Rational time_on(const Shape& shape, std::string_view row) {
  const ExactDeficiencies found = deficiencies_on(shape, row);
  return found.bandwidth * found.congestion;
}

/// The rank that r sends to at a step, by Swing's rule.
Rank peer_of(Rank r, int step, Rank p) {
  Rank rho = 1;
  for (int s = 0; s < step; ++s) rho = 1 - 2 * rho;
  return ((r % 2 == 0 ? r + rho : r - rho) % p + p) % p;
}

/// In how many ways each rank's data reaches each other: counts[r][q] sequences of the first steps lead from q to r.
std::vector<std::vector<int>> path_counts(Rank p, int steps) {
  const auto n = static_cast<std::size_t>(p);
  std::vector<std::vector<int>> counts(n, std::vector<int>(n));
  for (std::size_t r = 0; r < n; ++r) counts[r][r] = 1;
  for (int step = 0; step < steps; ++step) {
    stop_point();
    const auto before = counts;
    for (Rank r = 0; r < p; ++r) {
      auto& there = counts[static_cast<std::size_t>(peer_of(r, step, p))];
      for (std::size_t q = 0; q < n; ++q) there[q] += before[static_cast<std::size_t>(r)][q];
    }
  }
  return counts;
}

/// Messages on the hottest link at each step of an algorithm's reduce-scatter on a ring of 16.
Evidence messages_on_links(std::string_view row, const std::vector<std::string>& settings,
                           const std::vector<std::uint64_t>& expected) {
  return search("p = 16, steps 0 to 2", [=]() -> ClaimFinding {
    Request request = on_line(Collective::reduce_scatter, 16);
    for (const std::string& setting : settings)
      request.settings.emplace(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
    const Contention found = on_torus(*make(row, request), {16});
    for (std::size_t s = 0; s < expected.size(); ++s)
      if (found.steps[s].most_messages != expected[s])
        return {.refutation = Refutation{fmt::format("{}, step {}", row, s),
                                         fmt::format("a link carries {} messages", found.steps[s].most_messages)}};
    return {};
  });
}

/// The last rank's messages at each step of the reduce-scatter for 7 ranks.
ClaimFinding figure_4() {
  const auto schedule = make("swing", on_line(Collective::reduce_scatter, 7));
  const std::vector<std::vector<Rank>> expected{{0, 1, 2}, {3, 4}, {5}};
  for (int step = 0; step < 3; ++step) {
    std::vector<Transfer> transfers;
    schedule->transfers(step, transfers);
    std::vector<Rank> receivers;
    for (const Transfer& t : transfers)
      if (t.src == 6) receivers.push_back(t.dst);
    std::sort(receivers.begin(), receivers.end());
    if (receivers != expected[static_cast<std::size_t>(step)])
      return {.refutation = Refutation{fmt::format("p = 7, step {}", step),
                                       fmt::format("rank 6 sends to {}", fmt::join(receivers, ", "))}};
  }
  return {};
}

/// On 2x4 with all lanes, step 2 moves everything along the rows.
ClaimFinding figure_6() {
  const auto schedule = make("swing", {Collective::reduce_scatter, {2, 4}, true});
  std::vector<Transfer> transfers;
  schedule->transfers(2, transfers);
  for (const Transfer& t : transfers)
    if (t.src / 4 != t.dst / 4)
      return {.refutation = Refutation{"torus 2x4, step 2", fmt::format("rank {} sends to rank {}", t.src, t.dst)}};
  return {};
}

/// Congestion grows from one torus to the next larger one.
ClaimFinding congestion_grows() {
  Rational before = 0;
  for (const Rank side : {2, 4, 8, 16, 32, 64}) {
    const Rational congestion = deficiencies_on({side, side}, "swing").congestion;
    if (congestion < before)
      return {.refutation = Refutation{fmt::format("torus {}x{}", side, side),
                                       "the congestion deficiency is less than on the torus before"}};
    before = congestion;
  }
  return {};
}

/// Congestion on a HammingMesh lies between that on another network, or none, and `torus_times` that on a torus with as
/// many ranks.
ClaimFinding is_less_congested_on(std::string_view hammingmesh, std::string_view better, const std::vector<Rank>& sides,
                                  const Rational& torus_times = 1) {
  for (const Rank side : sides) {
    const auto schedule = make("swing", {Collective::allreduce, {side, side}, true});
    const auto congestion_on = [&](std::string_view name) {
      return sure(measured(*schedule, network_of(name, {side, side})).exact).congestion;
    };
    const Rational torus = congestion_on("torus");
    const Rational boards = congestion_on(hammingmesh);
    const Rational least = better.empty() ? 0 : congestion_on(better);
    if (boards >= torus * torus_times || boards <= least)
      return {.refutation =
                  Refutation{fmt::format("{0}x{0} ranks, {1}", side, hammingmesh),
                             fmt::format("the congestion deficiency is {}, on a torus {}{}", boards.str(), torus.str(),
                                         better.empty() ? "" : fmt::format(", on {} {}", better, least.str()))}};
  }
  return {};
}

/// Equation (3) against the time of the links in the steps in which only the longest dimension takes part.
ClaimFinding equation_3(double factor) {
  for (const std::vector<Rank>& shape : {std::vector<Rank>{2, 4}, {4, 8}, {4, 16}, {2, 2, 4}, {4, 4, 8}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const double measured = swing_second_phase(on_torus(*schedule, shape), shape, schedule->header().blocks);
    const double said = swing_equation_3(shape);
    const double expected = factor == 0 ? said : said * factor * static_cast<double>(shape.size());
    if (std::abs(measured - expected) > measured / 3)
      return {.refutation = Refutation{
                  shape_text(shape), fmt::format("equation (3) gives {:.3f}, the links take {:.3f}", said, measured)}};
  }
  return {};
}

/// Each rank's data reaches each rank at most twice. Of two ways one uses the last step, and unless p = 2^a there are
/// ranks with two ways.
ClaimFinding at_most_twice_once_in_the_last_step() {
  for (Rank p = 2; p <= 200; p += 2) {
    const int steps = ceil_log2(p);
    const auto before = path_counts(p, steps - 1);
    const auto all = path_counts(p, steps);
    bool is_twice = false;
    for (std::size_t r = 0; r < all.size(); ++r)
      for (std::size_t q = 0; q < all.size(); ++q) {
        is_twice = is_twice || all[r][q] == 2;
        if (all[r][q] < 1 || all[r][q] > 2 || before[r][q] < all[r][q] - 1 || before[r][q] > 1)
          return {.refutation = Refutation{fmt::format("p = {}", p),
                                           fmt::format("rank {} hears of rank {} {} times, {} of them before the last "
                                                       "step",
                                                       r, q, all[r][q], before[r][q])}};
      }
    if (is_twice == is_power_of_two(p))
      return {.refutation =
                  Refutation{fmt::format("p = {}", p), is_twice ? "some ranks hear twice" : "no rank hears twice"}};
  }
  return {};
}

/// Swing's rule on odd p, from 5 on: at every step two ranks send to the same one, some ranks send to their own parity,
/// and the data of some ranks doesn't reach all.
ClaimFinding odd_ranks_collide() {
  for (Rank p = 5; p <= 257; p += 2) {
    bool is_same_parity = false;
    for (int step = 0; step < ceil_log2(p); ++step) {
      std::set<Rank> receivers;
      for (Rank r = 0; r < p; ++r) {
        receivers.insert(peer_of(r, step, p));
        is_same_parity = is_same_parity || (peer_of(r, step, p) - r) % 2 == 0;
      }
      if (receivers.size() == static_cast<std::size_t>(p))
        return {.refutation = Refutation{fmt::format("p = {}, step {}", p, step), "all ranks send to different ranks"}};
    }
    const auto counts = path_counts(p, ceil_log2(p));
    const bool all_reached = std::all_of(counts.begin(), counts.end(),
                                         [](const auto& of) { return std::find(of.begin(), of.end(), 0) == of.end(); });
    if (!is_same_parity || all_reached)
      return {.refutation =
                  Refutation{fmt::format("p = {}", p), all_reached ? "all ranks are reached" : "lemma A.2 holds"}};
  }
  return {};
}

/// Each message of a rank at a step goes along a dimension and in a direction of its own.
ClaimFinding ports_of_their_own() {
  for (const Shape& shape : {Shape{4, 4}, Shape{8, 8}, Shape{16, 16}, Shape{4, 4, 4}}) {
    const auto schedule = make("swing", {Collective::allreduce, shape, true});
    const Rank side = shape.front();
    std::vector<Transfer> transfers;
    for (int step = 0; step < schedule->steps(); ++step) {
      std::set<std::tuple<Rank, Rank, bool>> used;  // rank, distance between neighbours of the dimension, direction
      schedule->transfers(step, transfers);
      for (const Transfer& t : transfers) {
        Rank stride = 1;
        while (t.src / (stride * side) != t.dst / (stride * side)) stride *= side;
        const Rank ahead = (t.dst / stride - t.src / stride + side) % side;
        if (!used.emplace(t.src, stride, 2 * ahead < side).second)
          return {.refutation = Refutation{fmt::format("{}, step {}", shape_text(shape), step),
                                           fmt::format("rank {} sends two messages the same way", t.src)}};
      }
    }
  }
  return {};
}

/// The number of ranks not reached before the last step, compared with `said` about p and p', the power of two below p.
ClaimFinding remaining(const std::function<Rank(Rank p, Rank power)>& said) {
  for (Rank p = 6; p <= 512; p += 2) {
    Rank power = 2;
    while (2 * power < p) power *= 2;
    std::set<Rank> reached{0};
    Rank rho = 1;
    for (Rank before = 1; 2 * before <= power; before *= 2, rho = 1 - 2 * rho) {
      std::set<Rank> more = reached;
      for (const Rank r : reached) more.insert(((r % 2 == 0 ? r + rho : r - rho) % p + p) % p);
      reached = std::move(more);
    }
    const auto left = p - static_cast<Rank>(reached.size());
    if (left != said(p, power))
      return {.refutation = Refutation{fmt::format("p = {}, p' = {}", p, power),
                                       fmt::format("{} ranks remain, not {}", left, said(p, power))}};
  }
  return {};
}

/// A rectangle's deficiencies against those of the square and of the ring with as many ranks.
ClaimFinding between_ring_and_square() {
  for (const auto& [rectangle, square] :
       {std::pair{Shape{2, 8}, Shape{4, 4}}, {{4, 16}, {8, 8}}, {{2, 32}, {8, 8}}, {{8, 32}, {16, 16}}}) {
    const Rank ranks = square[0] * square[1];
    const Rational here = time_on(rectangle, "swing");
    if (here < time_on(square, "swing") || here > time_on({ranks}, "swing"))
      return {.refutation = Refutation{shape_text(rectangle), here.str()}};
  }
  return {};
}

/// Recursive doubling on all ports, mirrored as Swing is, has a higher congestion deficiency if it halves the data;
/// with whole vectors the same on sides of 8, and a higher one on larger sides.
ClaimFinding mirrored_more_congested() {
  for (const Shape& shape : {Shape{8, 8}, Shape{16, 16}, Shape{32, 32}, Shape{8, 8, 8}}) {
    const auto excess = [&](std::string_view mirrored, std::string_view swing) {
      return Rational(deficiencies_on(shape, mirrored).congestion - deficiencies_on(shape, swing).congestion);
    };
    if (excess("mirrored-recursive-doubling", "swing") <= 0)
      return {.refutation = Refutation{shape_text(shape), "the bandwidth-optimized version is not more congested"}};
    const Rational whole_vectors = excess("recursive-doubling", "swing-latency");
    if (shape.front() == 8 ? whole_vectors != 0 : whole_vectors <= 0)
      return {.refutation = Refutation{shape_text(shape), fmt::format("with whole vectors it is more congested by {}",
                                                                      whole_vectors.str())}};
  }
  return {};
}

}  // namespace

/// Sections 2 to 4, and the appendix.
std::vector<NamedEvidence> swing_searches() {
  const std::string rectangles = "tori 2x4, 4x8, 4x16, 2x2x4, 4x4x8";
  return {
      {"swing-figure-1-recursive-doubling", messages_on_links("rabenseifner", {"order=near"}, {1, 2, 4})},
      {"swing-figure-1-swing", messages_on_links("swing", {}, {1, 1, 2})},
      {"swing-at-most-twice", provable(search("even p = 2..200", at_most_twice_once_in_the_last_step))},
      {"swing-figure-4", search("p = 7", figure_4)},
      {"swing-ports-of-their-own", search("tori 4x4, 8x8, 16x16, 4x4x4", ports_of_their_own)},
      {"swing-congestion-grows", search("tori 2x2 to 64x64", congestion_grows)},
      {"swing-figure-6", search("torus 2x4", figure_6)},
      {"swing-between-ring-and-square", search("tori 2x8, 4x16, 2x32, 8x32", between_ring_and_square)},
      {"swing-equation-3", search(rectangles, [] { return equation_3(0); })},
      {"swing-equation-3-times-2d", search(rectangles + ", to within a third", [] { return equation_3(2); })},
      {"swing-remaining-as-printed",
       search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power - 1; }); })},
      {"swing-remaining",
       search("even p = 6..512", [] { return remaining([](Rank p, Rank power) { return p - power; }); })},
      {"swing-odd-ranks-collide", search("odd p = 5..257", odd_ranks_collide)},
      {"mirrored-more-congested-than-swing", search("tori 8x8, 16x16, 32x32, 8x8x8", mirrored_more_congested)},
      {"swing-hx2mesh-below-torus", search("64x64, 32x32, 16x16, 8x8",
                                           [] {
                                             return is_less_congested_on("hx2mesh", "", {64, 32, 16, 8});
                                           })},
      {"swing-hx4mesh-between", search("64x64, 32x32, 16x16",
                                       [] {
                                         return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16});
                                       })},
      {"swing-hx4mesh-between-along-wires",
       search("64x64, 32x32, 16x16 along the wires",
              [] {
                return is_less_congested_on("hx4mesh:within-board=wires", "hx2mesh", {64, 32, 16});
              })},
      {"swing-hx4mesh-nearly-between",
       search("over the switch, less than 5 % more than on a torus",
              [] {
                return is_less_congested_on("hx4mesh", "hx2mesh", {64, 32, 16, 8}, Rational(105, 100));
              })},
  };
}

}  // namespace onceover::papers
