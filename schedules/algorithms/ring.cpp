#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank ring_most_ranks = 1 << 20;

constexpr std::string_view ring_description =
    R"(Every rank passes blocks to its right-hand neighbour only. At step s of the reduce-scatter rank r sends
block r-1-s to rank r+1, which adds its own contribution and sends it on at the next step; after p-1 steps
block r has been once around and ends, complete, on rank r. The allgather is the time reversal: the finished
blocks go once around to the left.

Works for every p in p-1 steps for a reduce-scatter or an allgather and 2(p-1) for an allreduce; each rank
sends one block a step, p-1 blocks in p-1 steps, which is the least possible.

order=even-odd is for links or calls that do one thing at a time: in each step the even ranks send while the odd ones
receive, then the other way around (class report, where blocks move to the left), so twice as many steps. With an odd p
ranks p-1 and 0 are neighbours and both even, so that there are three turns: rank p-1 sends in the last. The report's code
takes a third one, too: of its two even neighbours, one waits until the other has sent.
)";

constexpr std::array<std::string_view, 2> ring_orders{"together", "even-odd"};
constexpr std::array ring_parameters{
    Parameter{.name = "order", .summary = "who sends when", .preset = "together", .choices = ring_orders}};

bool takes_turns(const Request& request) {
  return setting(ring_algorithm, request, "order") == "even-odd";
}

std::optional<std::string> ring_outside(const Request& request) {
  return refuse_above(ring_algorithm, request, ring_most_ranks);
}

SchedulePtr make_ring(const Request& request) {
  const Rank p = request.ranks();
  std::vector<Indices> turns{Indices::range(0, p)};
  if (takes_turns(request)) {
    const Rank odd = p % 2;
    turns = {Indices::every_second(0, p - odd), Indices::every_second(1, p)};
    if (odd == 1) turns.push_back(Indices::only(p - 1));
  }
  PatternedSchedule::Builder plan;
  for (Rank s = 0; s < p - 1; ++s)
    for (const Indices& turn : turns) {
      plan.begin_step();
      // Every rank sends, to the rank one place on, the block 1 + s places back.
      plan.add({.indices = turn, .ring = p, .to = Place::by(+1), .blocks = Blocks::relative({-1 - s})});
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
    .steps = "p-1 (allreduce: 2(p-1)); order=even-odd: twice as many, or three times for odd p",
    .volumes = least_volumes,
    .description = ring_description,
    .parameters = ring_parameters,
    .outside = ring_outside,
    .make = make_ring,
};

}  // namespace onceover::schedules
