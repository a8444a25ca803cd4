#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank binomial_tree_most_ranks = 1 << 24;

constexpr std::string_view binomial_tree_description =
    R"(Broadcast from rank 0: at step s each of the ranks below 2^s, which have the block, sends it to the rank 2^s further on,
where there is one. The reduce is the time reversal, with sums. With order=far the broadcast begins with the far half: at
step s the multiples of 2^(L-s) send to the rank 2^(L-s-1) further on, L = ceil(log2 p); so a reduce sums neighbours first,
in the order of the ranks, which is how Open MPI and MPICH reduce.

With radix=k the tree is k-nomial, as in MPICH and UCC: at step s each of the ranks below k^s sends the block to the k-1 ranks
k^s, 2 k^s, .. further on, k-1 messages at a time. From k = p on the root sends to all, in one step.

The scatter goes down the same tree. It has a block for each rank, and a rank is sent the blocks of all ranks below it;
with order=far these are neighbours, as in MPICH. The gather is the time reversal.

Steps: ceil(log_k p). p-1 messages: of the whole vector, here one block, in a broadcast or reduce. A rank has at most
(k-1) ceil(log_k p) children.
)";

constexpr std::array binomial_tree_collectives{Collective::broadcast, Collective::reduce, Collective::scatter,
                                               Collective::gather};

constexpr std::array<std::string_view, 2> binomial_tree_orders{"near", "far"};
constexpr std::array binomial_tree_parameters{
    Parameter{.name = "order",
              .summary = "where a broadcast begins, and a reduce ends",
              .preset = "near",
              .choices = binomial_tree_orders},
    Parameter{.name = "radix",
              .summary = "one more than the ranks that a rank sends to at once",
              .preset = "2",
              .least = 2,
              .most = 65536}};

std::optional<std::string> binomial_tree_outside(const Request& request) {
  return refuse_above(binomial_tree_algorithm, request,
                      is_carried(request.collective) ? most_carried_ranks : binomial_tree_most_ranks);
}

/// The ranks that hold the block are `apart` from each other; each sends it to the k-1 ranks `distance`, 2 `distance`,
/// .. further on.
void add_level(PatternedSchedule::Builder& plan, Rank p, Rank radix, std::int64_t apart, std::int64_t distance) {
  const std::int64_t most = apart == 1 ? distance : p;  // ranks 0 .. distance-1, or all multiples
  plan.begin_step();
  for (std::int64_t far = distance; far < p && far < radix * distance; far += distance)
    plan.add({.indices = {0, static_cast<Rank>(std::min<std::int64_t>(apart, p)),
                          static_cast<Rank>((std::min(most, p - far) + apart - 1) / apart)},
              .ring = p,
              .to = Place::by(static_cast<Rank>(far)),
              .blocks = Blocks::all(1),
              .extent = 1,
              .rank_step = 1},
             Op::copy);
}

SchedulePtr make_binomial_tree(const Request& request) {
  const Rank p = request.ranks();
  const auto radix = static_cast<Rank>(number_setting(binomial_tree_algorithm, request, "radix"));
  const bool near_first = setting(binomial_tree_algorithm, request, "order") == "near";
  const int steps = ceil_log(radix, p);
  if (is_carried(request.collective))
    return walking(binomial_tree_algorithm, request, steps,
                   near_first ? by_lowest_digits(radix) : by_highest_digits(radix, steps));
  PatternedSchedule::Builder plan;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t distance = power_of(radix, near_first ? step : steps - 1 - step);
    add_level(plan, p, radix, near_first ? 1 : radix * distance, distance);
  }
  if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
  return with_blocks(binomial_tree_algorithm, request, 1, 1, std::move(plan));
}

constexpr std::array tree_volumes{Volume{Collective::broadcast, "ceil(log2(p)) * size"},
                                  Volume{Collective::reduce, "size"}, Volume{Collective::scatter, "(p-1) * size / p"},
                                  Volume{Collective::gather, "p / 2 * (size / p)"}};

}  // namespace

const Algorithm binomial_tree_algorithm{
    .name = "binomial-tree",
    .summary = "broadcast, reduce, scatter and gather along binomial and k-nomial trees",
    .source = "Swing paper, section 2.1; PAT paper, section 2",
    .collectives = binomial_tree_collectives,
    .domain = "any p up to 16777216; scatter, gather: up to 65536",
    .steps = "ceil(log_k p), with radix=k",
    .volumes = tree_volumes,
    .description = binomial_tree_description,
    .parameters = binomial_tree_parameters,
    .outside = binomial_tree_outside,
    .make = make_binomial_tree,
};

}  // namespace onceover::schedules
