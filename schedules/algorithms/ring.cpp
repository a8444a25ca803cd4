#include "schedules/algorithms/algorithms.h"

namespace onceover {

namespace {

constexpr Rank most_ranks = 1 << 20;

constexpr std::string_view description =
    R"(Every rank passes blocks to its right-hand neighbour only. At step s of the reduce-scatter rank r sends
block r-1-s to rank r+1, which adds its own contribution and sends it on at the next step; after p-1 steps
block r has been once around and ends, complete, on rank r. The allgather is the time reversal: the finished
blocks go once around to the left.

Works for every p in p-1 steps for a reduce-scatter or an allgather and 2(p-1) for an allreduce; each rank
sends one block a step, p-1 blocks in p-1 steps, which is the least possible.
)";

std::optional<std::string> outside(const Request& request) {
  return refuse_above(ring_algorithm, request, most_ranks);
}

SchedulePtr make(const Request& request) {
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank s = 0; s < p - 1; ++s) {
    plan.begin_step();
    // Every rank sends, to the rank one place on, the block 1 + s places back.
    plan.add({.indices = Indices::range(0, p), .ring = p, .to = Place::by(+1), .blocks = Blocks::relative({-1 - s})});
  }
  return from_reduce_scatter(ring_algorithm, request, 1, std::move(plan));
}

}  // namespace

const Algorithm ring_algorithm{
    .name = "ring",
    .summary = "neighbours only, one block at a time",
    .source = "Swing paper, section 2.3.1; class report, ring allreduce",
    .collectives = reduce_scatter_family,
    .domain = "any p up to 1048576",
    .steps = "p-1 (allreduce: 2(p-1))",
    .description = description,
    .outside = outside,
    .make = make,
};

}  // namespace onceover
