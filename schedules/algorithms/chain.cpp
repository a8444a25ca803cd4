#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank chain_most_ranks = 1 << 20;

constexpr std::string_view chain_description =
    R"(Broadcast from rank 0 along the ranks: at step s rank s sends the block to rank s + 1. The reduce is the time reversal, with
sums: 0 + (1 + (2 + ..)), in the order of the ranks. What a root adds up that receives from everybody else, the last rank
first, is the same sum; so is that of a pipeline, which sends the vector in segments.

Steps: p-1. p-1 messages of the whole vector, here one block.
)";

constexpr std::array chain_collectives{Collective::broadcast, Collective::reduce};

std::optional<std::string> chain_outside(const Request& request) {
  return refuse_above(chain_algorithm, request, chain_most_ranks);
}

SchedulePtr make_chain(const Request& request) {
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank r = 0; r + 1 < p; ++r) {
    plan.begin_step();
    plan.add({.indices = Indices::only(r),
              .ring = p,
              .to = Place::by(1),
              .blocks = Blocks::all(1),
              .extent = 1,
              .rank_step = 1},
             Op::copy);
  }
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  return with_blocks(chain_algorithm, request, 1, 1, std::move(plan));
}

constexpr std::array chain_volumes{Volume{Collective::broadcast, "size"}, Volume{Collective::reduce, "size"}};

}  // namespace

const Algorithm chain_algorithm{
    .name = "chain",
    .summary = "broadcast and reduce along the ranks",
    .source = "Open MPI, coll/base: pipeline and linear reduce",
    .collectives = chain_collectives,
    .domain = "any p up to 1048576",
    .steps = "p-1",
    .volumes = chain_volumes,
    .description = chain_description,
    .outside = chain_outside,
    .make = make_chain,
};

}  // namespace onceover::schedules
