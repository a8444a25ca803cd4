#include "schedules/algorithms/swing_peers.h"

namespace onceover::schedules {

namespace {

constexpr Rank bine_most_ranks = 1 << 24;

constexpr std::string_view bine_description =
    R"(Bine (binomial negabinary) trees, and butterflies with their edges. The number of a rank is written in base -2. Over the edge
k an even rank r reaches r + rho(k), an odd one r - rho(k), with rho(k) = 1, -1, 3, -5, 11, .. = (1 - (-2)^(k+1)) / 3, which is
1..11 in base -2: Swing's peers. A binomial tree reaches r + 2^k instead, about 1.5 times as far.

Broadcast from rank 0: at each step everyone who has the vector sends it over the step's edge, if that peer lacks it. With
order=halving the distances halve, k = L-1 to 0; with order=doubling they double, k = 0 to L-1, L = ceil(log2 p). The reduce is
the time reversal, with sums.

The allgather has the same edges in the same order, and every rank is a root: it passes on what its peer lacks. The
reduce-scatter is the time reversal, the allreduce is both. So its distances double first with order=halving.

For p = 2^a that is the paper's. Other even p have the same peers, mod p; a block that could go twice in a reduce-scatter
goes at the last step that reaches its owner. For odd p the first p-1 ranks do that, and the last one exchanges directly with
each of them; in a broadcast it gets the vector from rank 0 at the last step.

With order=halving, the reduce-scatter, allgather and allreduce are those of `swing`; with order=doubling, broadcast and
reduce are.

p = 8, order=halving: 0 sends to 3; 0 to 7 and 3 to 4; 0 to 1, 3 to 2, 4 to 5 and 7 to 6.

Steps: ceil(log2 p), for odd p ceil(log2(p-1)) (allreduce: twice as many). In a reduce-scatter or an allgather each rank sends
p-1 blocks, the least possible. merge=yes, for even p, joins the two steps in the middle of an allreduce, see `swing`.
)";

constexpr std::array bine_collectives{Collective::broadcast, Collective::reduce, Collective::allreduce,
                                      Collective::reduce_scatter, Collective::allgather};

constexpr std::array<std::string_view, 2> bine_orders{"halving", "doubling"};
constexpr std::array bine_parameters{Parameter{.name = "order",
                                               .summary = "what the distances do in a broadcast and an allgather",
                                               .preset = "halving",
                                               .choices = bine_orders},
                                     merge_parameter};

std::optional<std::string> bine_outside(const Request& request) {
  if (auto reason = refuse_merging(bine_algorithm, request, odd_one_out_of(request.shape))) return reason;
  return refuse_above(bine_algorithm, request, bine_most_ranks);
}

SchedulePtr make_bine(const Request& request) {
  const Rank p = request.ranks();
  const int steps = ceil_log2(p - p % 2);
  const bool halves = setting(bine_algorithm, request, "order") == "halving";
  const ShiftOfStep rising = [](int step) { return rho(step); };
  const ShiftOfStep falling = [=](int step) { return rho(steps - 1 - step); };
  if (is_rooted(request.collective)) {
    PatternedSchedule::Builder plan = mirroring_broadcast({p}, 1, [&](int) { return halves ? falling : rising; });
    if (request.collective == Collective::reduce) plan.reverse(Op::reduce);
    return with_blocks(bine_algorithm, request, 1, 1, std::move(plan));
  }
  PatternedSchedule::Builder plan;
  const std::vector<Factor> factors{mirroring_factor(p, halves ? rising : falling)};
  add_product(plan, factors, round_robin(factors, 0), {});
  return from_reduce_scatter(bine_algorithm, request, 1, std::move(plan));
}

constexpr std::array bine_volumes{Volume{Collective::broadcast, "(ceil(log2(p)) + odd(p)) * size", false},
                                  Volume{Collective::reduce, "size"}, least_volumes[0], least_volumes[1],
                                  least_volumes[2]};

}  // namespace

const Algorithm bine_algorithm{
    .name = "bine",
    .summary = "binomial negabinary trees and butterflies: Swing's peers, near or far first",
    .source = "De Sensi and others: Bine Trees, 2025",
    .collectives = bine_collectives,
    .domain = "any p up to 16777216",
    .steps = "ceil(log2 p), for odd p ceil(log2(p-1)) (allreduce: twice as many, less 1 with merge=yes)",
    .volumes = bine_volumes,
    .description = bine_description,
    .parameters = bine_parameters,
    .outside = bine_outside,
    .make = make_bine,
};

}  // namespace onceover::schedules
