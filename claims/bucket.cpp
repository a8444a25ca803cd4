// Claims of Jain and Sabharwal, "Optimal Bucket Algorithms for Large MPI Collectives on Torus Interconnects", 2010.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "claims/claim.h"
#include "network/papers.h"
#include "network/topology.h"
#include "schedules/catalogue.h"

namespace onceover::claims {

namespace {

using Shape = std::vector<Rank>;

Schedules bucket(std::vector<std::string> tori, std::string collective = "reduce-scatter") {
  return {.algorithm = "bucket", .tori = std::move(tori), .lanes = "all", .collective = std::move(collective)};
}

Rational phases_of(const Shape& shape) {
  const auto schedule = find_algorithm("bucket")->make({Collective::reduce_scatter, shape, true});
  return *bucket_by_phases(*schedule, *make_topology({.name = "torus", .shape = shape}));
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
  static const std::vector<Shape> shapes{{3, 4}, {3, 5}, {3, 6}, {4, 6}, {4, 8}, {2, 3, 4}, {3, 4, 5}, {3, 3, 6}};
  return shapes;
}

std::string names_of(const std::vector<Shape>& shapes) {
  std::vector<std::string> names;
  for (const Shape& shape : shapes) names.push_back(fmt::format("{}", fmt::join(shape, "x")));
  return fmt::format("tori {}", fmt::join(names, ", "));
}

template <class Holds>
Finding compare(const std::vector<Shape>& shapes, Holds&& holds) {
  for (const Shape& shape : shapes) {
    const Rational taken = phases_of(shape);
    const Rational said = equation_2(shape);
    if (!holds(taken, said))
      return {.refutation = Refutation{shape_text(shape),
                                       fmt::format("the links take {} n beta, (2) gives {}", taken.str(), said.str())}};
  }
  return {};
}

/// At most twice the lower bound, whatever the sides.
Finding at_most_twice() {
  for (Rank a = 2; a <= 24; ++a)
    for (Rank b = a; b <= 24; ++b)
      for (const Shape& shape : {Shape{a, b}, Shape{a, a, b}, Shape{a, b, b}})
        if (equation_2(shape) > 2 * lower_bound(shape))
          return {.refutation = Refutation{shape_text(shape), fmt::format("{} against {}", equation_2(shape).str(),
                                                                          Rational(2 * lower_bound(shape)).str())}};
  return {};
}

/// The ratio to the lower bound falls as the shortest side grows.
Finding converges() {
  Rational before = 4;
  for (const Rank side : {2, 4, 8, 16, 32, 64, 128}) {
    const Shape shape{side, 2 * side, 2 * side};
    const Rational ratio = equation_2(shape) / lower_bound(shape);
    if (ratio >= before) return {.refutation = Refutation{shape_text(shape), "no closer than the torus before"}};
    before = ratio;
  }
  if (before > Rational(102, 100)) return {.refutation = Refutation{"128x256x256", "more than 2 % above"}};
  return {};
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
       .statement = "A reduce-scatter communicates at least (p-1) n elements.",
       .says = {schedules({.algorithm = "all", .ranks = "2..33", .collective = "reduce-scatter"}, {"exactly-once"},
                          {"block_transfers >= (p-1)*blocks"})}},
      {.id = "bucket-least-allgather",
       .paper = Paper::bucket,
       .place = "theorem 3.2",
       .statement = "An allgather communicates at least (p-1) n elements.",
       .says = {schedules({.algorithm = "all", .ranks = "2..33", .collective = "allgather"}, {"exactly-once"},
                          {"block_transfers >= (p-1)*blocks"})}},
      {.id = "bucket-least-allreduce",
       .paper = Paper::bucket,
       .place = "theorem 3.3",
       .statement = "An allreduce communicates at least 2 (p-1) n elements.",
       .says = {schedules({.algorithm = "all", .ranks = "2..33", .collective = "allreduce"}, {"exactly-once"},
                          {"block_transfers >= 2*(p-1)*blocks"})}},
      {.id = "bucket-algorithm-1",
       .paper = Paper::bucket,
       .place = "algorithm 1",
       .statement = "The algorithm is right on every torus, as reduce-scatter, allgather and allreduce.",
       .says = {schedules(bucket(any), {"exactly-once"}), schedules(bucket(any, "allgather"), {"exactly-once"}),
                schedules(bucket(any, "allreduce"), {"exactly-once"})},
       .theorems = {"ring", "torus-products", "time-reversal"}},
      {.id = "bucket-permutations",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "pi_j(i) = (i + j) mod N are permutations of 1, 2, .., N.",
       .says = {numbers({{"N", "1", "12"}, {"j", "0", "N-1"}, {"i", "0", "N-1"}}, "(i + j) mod N >= 1")},
       .correct = "Of 0, .., N-1; and no two of them have the same dimension in a phase.",
       .corrected = {numbers({{"N", "1", "12"}, {"j", "0", "N-1"}, {"k", "0", "N-1"}, {"i", "0", "N-1"}},
                             "((i + j) mod N == (i + k) mod N) == (j == k)")},
       .kind = Kind::wording},
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
       .says = {search(
           names_of(rectangles()),
           [] { return compare(rectangles(), [](const Rational& a, const Rational& b) { return a == b; }); })},
       .correct = "An upper bound; exact with two dimensions.",
       .corrected =
           {search(names_of(rectangles()),
                   [] { return compare(rectangles(), [](const Rational& a, const Rational& b) { return a <= b; }); }),
            search(
                "tori 3x4, 3x5, 4x8",
                [] {
                  return compare({{3, 4}, {3, 5}, {4, 8}}, [](const Rational& a, const Rational& b) { return a == b; });
                })}},
      {.id = "bucket-at-most-twice",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "It is at most twice the lower bound, as ds >= 2.",
       .says = {search("sides 2 to 24, two and three dimensions", at_most_twice)}},
      {.id = "bucket-converges",
       .paper = Paper::bucket,
       .place = "section 4",
       .statement = "It converges to the lower bound for large sides.",
       .says = {search("tori 2x4x4 to 128x256x256", converges)}},
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

}  // namespace onceover::claims
