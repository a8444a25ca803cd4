#include "schedules/algorithms/algorithms.h"

namespace onceover {

namespace {

constexpr Rank most_ranks = 1 << 24;

constexpr std::string_view description =
    R"(Broadcast from rank 0: at step s each of the ranks below 2^s, which have the block, sends it to the rank 2^s further on,
where there is one. The reduce is the time reversal, with sums.

Steps: ceil(log2 p). p-1 messages of the whole vector, here one block.
)";

constexpr std::array rooted{Collective::broadcast, Collective::reduce};

std::optional<std::string> outside(const Request& request) {
  return refuse_above(binomial_tree_algorithm, request, most_ranks);
}

SchedulePtr make(const Request& request) {
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank distance = 1; distance < p; distance *= 2) {
    plan.begin_step();
    plan.add({.indices = Indices::range(0, std::min(distance, p - distance)),
              .ring = p,
              .to = Place::by(distance),
              .blocks = Blocks::all(1),
              .extent = 1,
              .rank_step = 1},
             Op::copy);
  }
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  return with_blocks(binomial_tree_algorithm, request, 1, 1, std::move(plan));
}

}  // namespace

const Algorithm binomial_tree_algorithm{
    .name = "binomial-tree",
    .summary = "broadcast and reduce by doubling",
    .source = "Swing paper, section 2.1; PAT paper, section 2",
    .collectives = rooted,
    .domain = "any p up to 16777216",
    .steps = "ceil(log2 p)",
    .description = description,
    .outside = outside,
    .make = make,
};

}  // namespace onceover
