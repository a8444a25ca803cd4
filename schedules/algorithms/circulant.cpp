#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank most_ranks = 1 << 24;

constexpr std::string_view description =
    R"(Träff's reduce-scatter on a circulant graph, in which each rank r has edges to the ranks r + skip. The skips halve, rounded
up, from p to 1. With N blocks left, of ranks r to r+N-1, and the skip s = ceil(N/2), rank r sends the blocks of ranks r+s to
r+N-1 to rank r + s, and s are left. The last one is its own. The allgather is the time reversal, and the allreduce is both.

Steps: ceil(log2 p) (allreduce: twice as many), the fewest with one message a rank and step. Each rank sends p-1 blocks in
each half, the least possible, to ceil(log2 p) neighbours.

p = 5 has the skips 3, 2, 1. Rank 0 holds blocks 0 to 4. It sends 3 and 4 to rank 3, then 2 to rank 2, then 1 to rank 1.

`generalized` halves p in the same way, but a skip there is floor(N/2): 2, 1, 1 for p = 5, so a rank talks to one rank
twice. For powers of two the two are mirror images; so are `circulant` and near-first `bruck`, whose skips are powers of two.
)";

std::optional<std::string> outside(const Request& request) {
  return refuse_above(circulant_algorithm, request, most_ranks);
}

SchedulePtr make(const Request& request) {
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank left = p; left > 1;) {
    const Rank skip = (left + 1) / 2;
    plan.begin_step();
    plan.add({.indices = Indices::range(0, p),
              .ring = p,
              .to = Place::by(skip),
              .blocks = Blocks::relative_run({skip, left - 1})});
    left = skip;
  }
  return from_reduce_scatter(circulant_algorithm, request, 1, std::move(plan));
}

}  // namespace

const Algorithm circulant_algorithm{
    .name = "circulant",
    .summary = "round-optimal for every p: skips that halve, rounded up",
    .source = "Träff: Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms, 2024",
    .collectives = reduce_scatter_family,
    .domain = "any p up to 16777216",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .volumes = least_volumes,
    .description = description,
    .outside = outside,
    .make = make,
};

}  // namespace onceover::schedules
