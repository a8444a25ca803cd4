// Claims of Jain and Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects", 2010.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <utility>

#include "papers/claim.h"
#include "papers/counts.h"
#include "papers/papers.h"
#include "papers/subjects.h"

namespace onceover::papers {

namespace {

using Shape = std::vector<Rank>;

Schedules bucket(std::vector<std::string> tori, std::string collective = "reduce-scatter") {
  return {.algorithm = "bucket", .tori = std::move(tori), .lanes = "all", .collective = std::move(collective)};
}

Rational phases_of(const Shape& shape) {
  const auto schedule = find_algorithm("bucket")->make({Collective::reduce_scatter, shape, true});
  return sure(bucket_by_phases(*schedule, network_of("torus", shape)));
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
  std::vector<std::string> names;
  for (const Shape& shape : shapes) names.push_back(fmt::format("{}", fmt::join(shape, "x")));
  return fmt::format("tori {}", fmt::join(names, ", "));
}

template <class Holds>
ClaimFinding compare(const std::vector<Shape>& shapes, Holds&& holds) {
  for (const Shape& shape : shapes) {
    const Rational taken = phases_of(shape);
    const Rational said = equation_2(shape);
    if (!holds(taken, said))
      return {.refutation = Refutation{shape_text(shape),
                                       fmt::format("the links take {} n beta, (2) gives {}", taken.str(), said.str())}};
  }
  return {};
}

std::string against(const Rational& cost, const Rational& bound) {
  return fmt::format("{} against {}", cost.str(), bound.str());
}

/// Equation (2) is at most twice the lower bound, and so is what the links take.
ClaimFinding at_most_twice() {
  for (Rank a = 2; a <= 24; ++a)
    for (Rank b = a; b <= 24; ++b)
      for (const Shape& shape : {Shape{a, b}, Shape{a, a, b}, Shape{a, b, b}})
        if (const Rational bound = 2 * lower_bound(shape); equation_2(shape) > bound)
          return {.refutation = Refutation{shape_text(shape), against(equation_2(shape), bound)}};
  for (const Shape& shape : both(rectangles(), boxes()))
    if (const Rational bound = 2 * lower_bound(shape); phases_of(shape) > bound)
      return {.refutation = Refutation{shape_text(shape), against(phases_of(shape), bound)}};
  return {};
}

/// The ratio to the lower bound falls as the sides grow, to less than `most` on the last torus.
ClaimFinding converges(const std::vector<Shape>& shapes, const std::function<Rational(const Shape&)>& cost,
                       double most) {
  Rational ratio = 4;
  for (const Shape& shape : shapes) {
    const Rational before = std::exchange(ratio, cost(shape) / lower_bound(shape));
    if (ratio >= before) return {.refutation = Refutation{shape_text(shape), "no closer than the torus before"}};
  }
  if (ratio < Rational(most)) return {};
  return {.refutation = Refutation{shape_text(shapes.back()), fmt::format("{} times the bound", ratio.str())}};
}

/// Of one element in whatever way; of all the catalogue's blocks; of the cables of tori.
std::vector<Evidence> least(Errand errand, const std::string& collective, const std::string& limit, int vectors) {
  return {fewest_messages(errand, vectors),
          schedules({.algorithm = "all", .ranks = "2..33", .collective = collective}, {"exactly-once"}, {limit}),
          least_time_one_way(
              {.algorithm = "all", .tori = {"3x3", "4x4", "3x4", "3x3x3"}, .lanes = "all", .collective = collective},
              vectors)};
}

}  // namespace

std::vector<Claim> bucket_claims() {
  const std::vector<std::string> square{"3x3", "4x4", "5x5", "8x8", "3x3x3", "4x4x4"};
  const std::vector<std::string> any{"2x2", "2x3", "3x4", "2x4", "4x6", "2x3x4", "3x3x2"};
  return {
      {.id = "bucket-ring-cost",
       .paper = Paper::bucket,
       .place = "section 2.2, equation (1)",
       .statement = "On a ring the reduce-scatter takes p-1 steps of n/p data for each rank.",
       .says = {schedules({.algorithm = "ring", .ranks = "2..128", .collective = "reduce-scatter"}, {"exactly-once"},
                          {"steps == p-1", "blocks_sent_max == p-1", "blocks_sent_min == p-1"})},
       .theorems = {"ring"}},
      {.id = "bucket-least-reduce-scatter",
       .paper = Paper::bucket,
       .place = "theorem 3.1",
       .statement = "A reduce-scatter communicates at least (p-1) n elements, so with links used one way it costs at "
                    "least (p-1)/p n beta/N.",
       .says = least(Errand::reduce, "reduce-scatter", "block_transfers >= (p-1)*blocks", 1)},
      {.id = "bucket-least-allgather",
       .paper = Paper::bucket,
       .place = "theorem 3.2",
       .statement = "An allgather communicates at least (p-1) n elements, so with links used one way it costs at least "
                    "(p-1)/p n beta/N.",
       .says = least(Errand::broadcast, "allgather", "block_transfers >= (p-1)*blocks", 1)},
      {.id = "bucket-least-allreduce",
       .paper = Paper::bucket,
       .place = "theorem 3.3",
       .statement =
           "An allreduce communicates at least 2 (p-1) n elements, so with links used one way it costs at least "
           "2 (p-1)/p n beta/N.",
       .says = least(Errand::allreduce, "allreduce", "block_transfers >= 2*(p-1)*blocks", 2)},
      {.id = "bucket-least-both-ways",
       .paper = Paper::bucket,
       .place = "section 3, figure 2",
       .statement = "With links used both ways the bounds are half of these.",
       .says = {deficiencies({.algorithm = "all",
                              .tori = {"3x3", "4x4", "3x4", "2x8", "3x3x3"},
                              .lanes = "all",
                              .collective = "allreduce"},
                             {"bandwidth*congestion >= 1"})}},
      {.id = "bucket-least-additions",
       .paper = Paper::bucket,
       .place = "section 3, figure 2",
       .statement = "A reduce-scatter and an allreduce cost at least (p-1)/p n gamma.",
       .says = {additions({.algorithm = "all", .ranks = "2..33", .collective = "reduce-scatter"},
                          "most*p >= (p-1)*blocks"),
                additions({.algorithm = "all", .ranks = "2..33", .collective = "allreduce"},
                          "most*p >= (p-1)*blocks")}},
      {.id = "bucket-algorithm-1",
       .paper = Paper::bucket,
       .place = "algorithm 1",
       .statement = "The algorithm is right on every torus, as reduce-scatter, allgather and allreduce.",
       .says = {schedules(bucket(any), {"exactly-once"}), schedules(bucket(any, "allgather"), {"exactly-once"}),
                schedules(bucket(any, "allreduce"), {"exactly-once"})},
       .theorems = {"ring", "torus-products", "time-reversal"}},
      {.id = "bucket-additions",
       .paper = Paper::bucket,
       .place = "section 4, equations (2) to (5)",
       .statement = "Its computation costs (p-1)/p n gamma, the least, on every torus.",
       .says = {additions(bucket(any), "least == most && most*p == (p-1)*blocks"),
                additions(bucket(any, "allreduce"), "least == most && most*p == (p-1)*blocks")}},
      {.id = "bucket-equal-work",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "The work is the same for all nodes, and for all colours of a node.",
       .says = {same_additions_everywhere(bucket(any)), same_additions_everywhere(bucket(any, "allreduce"))}},
      {.id = "bucket-permutations",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "pi_j(i) = (i + j) mod N are permutations of 1, 2, .., N.",
       .says = {numbers({{"N", "1", "12"}, {"j", "0", "N-1"}, {"i", "0", "N-1"}}, "(i + j) mod N >= 1")},
       .correct = "Of 0, .., N-1; and no two of them have the same dimension in a phase.",
       .corrected = {numbers({{"N", "1", "12"}, {"j", "0", "N-1"}, {"k", "0", "N-1"}, {"i", "0", "N-1"}},
                             "((i + j) mod N == (i + k) mod N) == (j == k)")},
       .kind = ClaimKind::wording},
      {.id = "bucket-symmetric-optimal",
       .paper = Paper::bucket,
       .place = "section 4, equation (3)",
       .statement = "On symmetric tori its bandwidth cost is the lower bound, (p-1)/p n beta/(2N).",
       .says = {schedules(bucket(square), {"exactly-once"}, {"bandwidth*congestion == 1"})},
       .theorems = {"ring", "torus-products"}},
      {.id = "bucket-symmetric-messages",
       .paper = Paper::bucket,
       .place = "section 4, equation (3)",
       .statement = "On symmetric tori a rank sends 2 N^2 (d-1) messages.",
       .says = {schedules(bucket(square), {}, {"messages == p*2*dimensions*dimensions*(side_max - 1)"})}},
      {.id = "bucket-equation-2",
       .paper = Paper::bucket,
       .place = "section 4, equation (2)",
       .statement = "On other tori the bandwidth cost is (dl-1)/dl n beta/(2N) (ds^N - 1)/ds^N ds/(ds - 1).",
       .says = {search(names_of(both(rectangles(), boxes())),
                       [] { return compare(both(rectangles(), boxes()), std::equal_to<>()); })},
       .correct =
           "At most that: (2) prints = for what the text derives as a bound, and calls one. It is exact with two "
           "dimensions.",
       .corrected = {search(names_of(both(rectangles(), boxes())),
                            [] { return compare(both(rectangles(), boxes()), std::less_equal<>()); }),
                     search(names_of(rectangles()), [] { return compare(rectangles(), std::equal_to<>()); })},
       .kind = ClaimKind::wording},
      {.id = "bucket-at-most-twice",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "It is at most twice the lower bound, as ds >= 2.",
       .says = {search("equation (2) for sides 2 to 24, two and three dimensions; links of " +
                           names_of(both(rectangles(), boxes())),
                       at_most_twice)}},
      {.id = "bucket-converges",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "It converges to the lower bound for large sides.",
       .says = {search("equation (2) for tori 2x4x4 to 128x256x256",
                       [] {
                         return converges({{2, 4, 4},
                                           {4, 8, 8},
                                           {8, 16, 16},
                                           {16, 32, 32},
                                           {32, 64, 64},
                                           {64, 128, 128},
                                           {128, 256, 256}},
                                          equation_2, 1.02);
                       }),
                search("links of tori 2x4 to 32x64",
                       [] {
                         return converges({{2, 4}, {4, 8}, {8, 16}, {16, 32}, {32, 64}}, phases_of, 1.02);
                       })}},
      {.id = "bucket-one-way",
       .paper = Paper::bucket,
       .place = "section 4, equation (5)",
       .statement = "With links used one way the N colours reach the bound (p-1)/p n beta/N on symmetric tori.",
       .says = {schedules({.algorithm = "bucket",
                           .tori = {"3x3", "4x4", "5x5", "3x3x3"},
                           .lanes = "all",
                           .collective = "reduce-scatter",
                           .settings = {"directions=one"}},
                          {"exactly-once"}, {"bandwidth*congestion == 2"})},
       .theorems = {"ring", "torus-products"},
       .correct = "Twice what both ways take; as a deficiency, 2."},
  };
}

}  // namespace onceover::papers
