#include "schedules/algorithms/walks.h"

namespace onceover::schedules {

namespace {

constexpr Rank most_ranks = 1 << 24;
constexpr Rank most_ranks_of_many_blocks = 1 << 16;  // scatter and gather, which have a block for each rank

constexpr std::string_view description =
    R"(Broadcast from rank 0: at step s each of the ranks below 2^s, which have the block, sends it to the rank 2^s further on,
where there is one. The reduce is the time reversal, with sums. With order=far the broadcast begins with the far half: at
step s the multiples of 2^(L-s) send to the rank 2^(L-s-1) further on, L = ceil(log2 p); so a reduce sums neighbours first,
in the order of the ranks, which is how Open MPI and MPICH reduce.

The scatter goes down the same tree. It has a block for each rank, and a rank is sent the blocks of all ranks below it;
with order=far these are neighbours, as in MPICH. The gather is the time reversal.

Steps: ceil(log2 p). p-1 messages: of the whole vector, here one block, in a broadcast or reduce.
)";

constexpr std::array rooted{Collective::broadcast, Collective::reduce, Collective::scatter, Collective::gather};

constexpr std::array<std::string_view, 2> orders{"near", "far"};
constexpr std::array parameters{Parameter{
    .name = "order", .summary = "where a broadcast begins, and a reduce ends", .preset = "near", .choices = orders}};

std::optional<std::string> outside(const Request& request) {
  return refuse_above(binomial_tree_algorithm, request,
                      is_carried(request.collective) ? most_ranks_of_many_blocks : most_ranks);
}

/// The ranks that hold the block are `apart` from each other; each sends it to the rank `distance` further on.
void add_step(PatternedSchedule::Builder& plan, Rank p, Rank apart, Rank distance) {
  const Rank most = apart == 1 ? distance : p;  // ranks 0 .. distance-1, or all multiples
  plan.begin_step();
  plan.add({.indices = {0, apart, (std::min(most, p - distance) + apart - 1) / apart},
            .ring = p,
            .to = Place::by(distance),
            .blocks = Blocks::all(1),
            .extent = 1,
            .rank_step = 1},
           Op::copy);
}

SchedulePtr make(const Request& request) {
  const Rank p = request.ranks();
  const bool near_first = setting(binomial_tree_algorithm, request, "order") == "near";
  const int steps = ceil_log2(p);
  if (is_carried(request.collective))
    return walking(binomial_tree_algorithm, request, steps, near_first ? by_lowest_bits() : by_highest_bits(steps));
  PatternedSchedule::Builder plan;
  if (near_first)
    for (Rank distance = 1; distance < p; distance *= 2) add_step(plan, p, 1, distance);
  else
    for (int bit = steps - 1; bit >= 0; --bit) add_step(plan, p, Rank{2} << bit, Rank{1} << bit);
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  return with_blocks(binomial_tree_algorithm, request, 1, 1, std::move(plan));
}

}  // namespace

const Algorithm binomial_tree_algorithm{
    .name = "binomial-tree",
    .summary = "broadcast, reduce, scatter and gather by doubling",
    .source = "Swing paper, section 2.1; PAT paper, section 2",
    .collectives = rooted,
    .domain = "any p up to 16777216; scatter, gather: up to 65536",
    .steps = "ceil(log2 p)",
    .description = description,
    .parameters = parameters,
    .outside = outside,
    .make = make,
};

}  // namespace onceover::schedules
