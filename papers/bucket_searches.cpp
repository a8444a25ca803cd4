// Searches for the claims of Jain and Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus
// Interconnects", 2010.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <utility>

#include "base/rows.h"
#include "papers/counts.h"
#include "papers/evidence.h"
#include "papers/papers.h"
#include "papers/searches.h"
#include "schedules/listed_schedule.h"
#include "verifier/verify.h"

namespace onceover::papers {

namespace {

using Shape = std::vector<Rank>;

Check bucket(std::vector<std::string> tori, std::string collective) {
  return check_of(
      {.algorithm = "bucket", .tori = std::move(tori), .lanes = "all", .collective = std::move(collective)});
}

/// The time of a reduce-scatter by bucket, in vectors: rings go at their own pace until all lanes change dimension.
Rational bucket_time(const Shape& shape) {
  const auto schedule =
      find_algorithm("bucket")->make({Collective::reduce_scatter, shape, true, {{"waiting", "spread"}}});
  const Network torus = network_of("torus", shape);
  Rational blocks = 0;
  for (int step = 0; step < schedule->steps(); ++step)
    blocks += sure(busiest(*schedule, torus, Routing::minimal, step, step + 1));
  return blocks / schedule->header().blocks;
}

/// Equation (2)'s bandwidth term, in vectors.
Rational equation_2(const Shape& shape) {
  const Rank longest = *std::max_element(shape.begin(), shape.end());
  const Rank shortest = *std::min_element(shape.begin(), shape.end());
  const auto n = static_cast<std::int64_t>(shape.size());
  const auto power = static_cast<std::int64_t>(std::llround(std::pow(shortest, n)));
  return Rational(longest - 1, longest) * Rational(1, 2 * n) * Rational(power - 1, power) *
         Rational(shortest, shortest - 1);
}

Rational lower_bound(const Shape& shape) {
  std::int64_t p = 1;
  for (const Rank side : shape) p *= side;
  return Rational(p - 1, p) / (2 * static_cast<std::int64_t>(shape.size()));
}

const std::vector<Shape>& rectangles() {
  static const std::vector<Shape> shapes{{3, 4}, {3, 5}, {3, 6}, {4, 6}, {4, 8}, {2, 3}, {2, 7}, {5, 9}};
  return shapes;
}

const std::vector<Shape>& boxes() {
  static const std::vector<Shape> shapes{{2, 3, 4}, {3, 4, 5}, {3, 3, 6}, {2, 4, 8}, {2, 5, 5}};
  return shapes;
}

std::vector<Shape> both(std::vector<Shape> shapes, const std::vector<Shape>& more) {
  shapes.insert(shapes.end(), more.begin(), more.end());
  return shapes;
}

std::string names_of(const std::vector<Shape>& shapes) {
  return fmt::format("tori {}", fmt::join(mapped(shapes, torus_text), ", "));
}

template <class Holds>
ClaimFinding compare(const std::vector<Shape>& shapes, Holds&& holds) {
  for (const Shape& shape : shapes) {
    const Rational taken = bucket_time(shape);
    const Rational said = equation_2(shape);
    if (!holds(taken, said))
      return {.refutation = Refutation{shape_text(shape), fmt::format("the links take {} n beta, equation (2) gives {}",
                                                                      taken.str(), said.str())}};
  }
  return {};
}

std::string against(const Rational& cost, const Rational& bound) {
  return fmt::format("it costs {}, the bound is {}", cost.str(), bound.str());
}

/// Rectangles that the Swing paper's sentence is about.
const std::vector<Shape>& swing_rectangles() {
  static const std::vector<Shape> shapes{{2, 4}, {3, 4}, {4, 8}, {2, 16}};
  return shapes;
}

/// Does it take the lower bound alone, if lanes change dimension together and rings go at their own pace until then?
ClaimFinding optimal_on_rectangles() {
  for (const Shape& shape : swing_rectangles())
    if (const Rational taken = bucket_time(shape) / lower_bound(shape); taken != 1)
      return {.refutation =
                  Refutation{shape_text(shape), fmt::format("the links take {} of the lower bound", taken.str())}};
  return {};
}

/// The links take what equation (2) says: 9/7 of the bound on 2x4, and more than the bound on all.
ClaimFinding equation_2_on_rectangles() {
  if (equation_2({2, 4}) / lower_bound({2, 4}) != Rational(9, 7))
    return {.refutation = Refutation{"torus 2x4", "equation (2) is not 9/7 of the bound"}};
  for (const Shape& shape : swing_rectangles())
    if (bucket_time(shape) <= lower_bound(shape))
      return {.refutation = Refutation{shape_text(shape), "the links take no more than the bound"}};
  return compare(swing_rectangles(), std::equal_to<>());
}

/// Equation (2) is at most twice the lower bound, and so is the time of the links.
ClaimFinding at_most_twice() {
  for (Rank a = 2; a <= 24; ++a)
    for (Rank b = a; b <= 24; ++b)
      for (const Shape& shape : {Shape{a, b}, Shape{a, a, b}, Shape{a, b, b}})
        if (const Rational bound = 2 * lower_bound(shape); equation_2(shape) > bound)
          return {.refutation = Refutation{shape_text(shape), against(equation_2(shape), bound)}};
  for (const Shape& shape : both(rectangles(), boxes()))
    if (const Rational bound = 2 * lower_bound(shape); bucket_time(shape) > bound)
      return {.refutation = Refutation{shape_text(shape), against(bucket_time(shape), bound)}};
  return {};
}

/// The ratio to the lower bound falls as the sides grow, to less than `most` on the last torus.
ClaimFinding converges(const std::vector<Shape>& shapes, const std::function<Rational(const Shape&)>& cost,
                       double most) {
  Rational ratio = 4;
  for (const Shape& shape : shapes) {
    const Rational before = std::exchange(ratio, cost(shape) / lower_bound(shape));
    if (ratio >= before)
      return {.refutation = Refutation{shape_text(shape), "it is no closer to the bound than the torus before"}};
  }
  if (ratio < Rational(most)) return {};
  return {.refutation = Refutation{shape_text(shapes.back()), fmt::format("it costs {} times the bound", ratio.str())}};
}

/// Two ranks exchange their contributions. One message is processed after the other, in either order.
ClaimFinding exchange_one_by_one() {
  for (const Rank first : {0, 1}) {
    ListedSchedule::Builder steps;
    for (const Rank src : {first, 1 - first}) {
      steps.begin_step();
      const Run block{0, 0};
      steps.add(src, 1 - src, {&block, 1}, Op::reduce);
    }
    const ListedSchedule one_by_one(Header{.collective = Collective::allreduce, .ranks = 2, .blocks = 1},
                                    std::move(steps));
    if (verify(one_by_one).verdict == Verdict::pass) return {};
  }
  return {.refutation = Refutation{"recursive-doubling, p = 2",
                                   "the second message has both contributions, so its receiver gets its own twice"}};
}

/// If messages are processed one after another, does every rank hear of all contributions to each block?
bool all_is_heard(const Schedule& schedule) {
  const Header& header = schedule.header();
  const auto blocks = static_cast<std::size_t>(header.all_blocks());
  std::vector<std::uint64_t> heard(static_cast<std::size_t>(header.ranks) * blocks);
  const auto of = [&](Rank r, Block b) -> std::uint64_t& {
    return heard[static_cast<std::size_t>(r) * blocks + static_cast<std::size_t>(b)];
  };
  for (Rank r = 0; r < header.ranks; ++r)
    for (Block b = 0; b < header.blocks; ++b) of(r, b) = std::uint64_t{1} << r;
  for (int step = 0; step < schedule.steps(); ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> transfers) {
      for (const Transfer& t : transfers)
        t.for_each_landing([&](const BlockSet& set, Block shift) {
          set.for_each_block({0, header.all_blocks()}, [&](Block b) { of(t.dst, b + shift) |= of(t.src, b); });
        });
    });
  const std::uint64_t everybody = (std::uint64_t{1} << header.ranks) - 1;
  for (Rank r = 0; r < header.ranks; ++r)
    for (Block b = 0; b < header.blocks; ++b)
      if (of(r, b) != everybody) return false;
  return true;
}

ClaimFinding heard_one_by_one() {
  for (const Case& c : cases_of(check_of({.algorithm = "all", .ranks = "2..16", .collective = "allreduce"})))
    if (!all_is_heard(*c.schedule))
      return {.refutation = Refutation{c.text, "a rank does not hear of all contributions"}};
  return {};
}

/// The least time over the cables of tori.
Evidence least_time(std::string collective, int vectors) {
  return least_time_one_way(check_of({.algorithm = "all",
                                      .tori = {"3x3", "4x4", "3x4", "3x3x3"},
                                      .lanes = "all",
                                      .collective = std::move(collective)}),
                            vectors);
}

}  // namespace

std::vector<NamedEvidence> bucket_searches() {
  const std::vector<std::string> any{"2x2", "2x3", "3x4", "2x4", "4x6", "2x3x4", "3x3x2"};
  const std::string all = names_of(both(rectangles(), boxes()));
  return {
      {"least-time-one-way-reduce-scatter", least_time("reduce-scatter", 1)},
      {"least-time-one-way-allgather", least_time("allgather", 1)},
      {"least-time-one-way-allreduce", least_time("allreduce", 2)},
      {"exchange-one-by-one", search("p = 2", exchange_one_by_one)},
      {"heard-one-by-one", search("the whole catalogue, p = 2..16", heard_one_by_one)},
      {"bucket-equal-additions-reduce-scatter", same_additions_everywhere(bucket(any, "reduce-scatter"))},
      {"bucket-equal-additions-allreduce", same_additions_everywhere(bucket(any, "allreduce"))},
      {"bucket-equation-2-exact", search(all, [] { return compare(both(rectangles(), boxes()), std::equal_to<>()); })},
      {"bucket-equation-2-bound",
       search(all, [] { return compare(both(rectangles(), boxes()), std::less_equal<>()); })},
      {"bucket-equation-2-exact-in-2d",
       search(names_of(rectangles()), [] { return compare(rectangles(), std::equal_to<>()); })},
      {"bucket-optimal-on-rectangles", search(names_of(swing_rectangles()), optimal_on_rectangles)},
      {"bucket-equation-2-on-rectangles", search(names_of(swing_rectangles()), equation_2_on_rectangles)},
      {"bucket-at-most-twice",
       search("equation (2) for sides 2 to 24, two and three dimensions; links of " + all, at_most_twice)},
      {"bucket-equation-2-converges",
       search("equation (2) for tori 2x4x4 to 128x256x256",
              [] {
                return converges(
                    {{2, 4, 4}, {4, 8, 8}, {8, 16, 16}, {16, 32, 32}, {32, 64, 64}, {64, 128, 128}, {128, 256, 256}},
                    equation_2, 1.02);
              })},
      {"bucket-links-converge",
       search("links of tori 2x4 to 32x64",
              [] {
                return converges({{2, 4}, {4, 8}, {8, 16}, {16, 32}, {32, 64}}, bucket_time, 1.02);
              })},
  };
}

}  // namespace onceover::papers
