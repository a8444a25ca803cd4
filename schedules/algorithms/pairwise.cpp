// Every block straight to its owner: pairwise exchange, one peer a step, and spread-out, many.

#include <fmt/format.h>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank pairwise_most_ranks = 1 << 20;

constexpr std::string_view pairwise_description =
    R"(Each block goes straight from its origin to its owner. At step s rank r sends to rank r+1+s what that rank owns, and
receives from rank r-1-s: one message a rank and step. The alltoall is MPICH's and Open MPI's pairwise exchange. In the
reduce-scatter, which is MPICH's, the owner adds what arrives. The allgather is its time reversal.

The allreduce is both. It is Kolmakov and Zhang's straightforward solution (equations 10 to 15), over the cyclic group.

Steps: p-1 (allreduce: 2(p-1)). Each rank sends p-1 blocks in each half, the least possible.
)";

constexpr std::string_view spread_out_description =
    R"(The pairwise exchange with several messages at once. With batch=k rank r sends at step s to the ranks r+1+sk to r+(s+1)k.
With batch=all, every rank sends everything in one step, which MPICH calls scattered and Open MPI linear with isend and
irecv. MPICH's batches are of 32 (MPIR_CVAR_ALLTOALL_THROTTLE).

Steps: ceil((p-1)/k), or 1. It needs k ports to go as fast as that.
)";

constexpr std::array exchanges{Collective::alltoall, Collective::reduce_scatter, Collective::allgather,
                               Collective::allreduce};
constexpr std::array only_alltoall{Collective::alltoall};

constexpr std::array spread_out_parameters{Parameter{.name = "batch",
                                                     .summary = "messages that a rank sends in a step",
                                                     .preset = "all",
                                                     .least = 1,
                                                     .most = most_alltoall_ranks}};

std::optional<std::string> pairwise_outside(const Request& request) {
  return refuse_above(pairwise_algorithm, request,
                      request.collective == Collective::alltoall ? most_alltoall_ranks : pairwise_most_ranks);
}

std::optional<std::string> spread_out_outside(const Request& request) {
  return refuse_above(spread_out_algorithm, request, most_alltoall_ranks);
}

/// Each block goes its whole way in one step, `batch` distances a step, the nearest first.
SchedulePtr straight(const Algorithm& row, const Request& request, Rank batch) {
  return walking(row, request, (request.ranks() - 1 + batch - 1) / batch,
                 [=](int step, Rank distance) { return step <= (distance - 1) / batch ? 0 : distance; });
}

SchedulePtr make_pairwise(const Request& request) {
  if (request.collective == Collective::alltoall) return straight(pairwise_algorithm, request, 1);
  const Rank p = request.ranks();
  PatternedSchedule::Builder plan;
  for (Rank distance = 1; distance < p; ++distance) {
    plan.begin_step();
    plan.add({.indices = Indices::range(0, p),
              .ring = p,
              .to = Place::by(distance),
              .blocks = Blocks::relative({distance})});
  }
  return from_reduce_scatter(pairwise_algorithm, request, 1, std::move(plan));
}

SchedulePtr make_spread_out(const Request& request) {
  if (setting(spread_out_algorithm, request, "batch") == "all")
    return straight(spread_out_algorithm, request, request.ranks());
  return straight(spread_out_algorithm, request,
                  static_cast<Rank>(number_setting(spread_out_algorithm, request, "batch")));
}

constexpr std::array pairwise_volumes{
    Volume{Collective::alltoall, "(p-1) * size / p"}, Volume{Collective::reduce_scatter, "(p-1) * size / p"},
    Volume{Collective::allgather, "(p-1) * size / p"}, Volume{Collective::allreduce, "2 * (p-1) * size / p"}};

constexpr std::array spread_out_volumes{Volume{Collective::alltoall, "(p-1) * size / p"}};

}  // namespace

const Algorithm pairwise_algorithm{
    .name = "pairwise",
    .summary = "every block straight to its owner, one peer a step",
    .source = "MPICH: pairwise exchange; Kolmakov and Zhang, section 6",
    .collectives = exchanges,
    .domain = "any p up to 1048576; alltoall: up to 2048",
    .steps = "p-1 (allreduce: 2(p-1))",
    .volumes = pairwise_volumes,
    .description = pairwise_description,
    .outside = pairwise_outside,
    .make = make_pairwise,
};

const Algorithm spread_out_algorithm{
    .name = "spread-out",
    .summary = "every block straight to its owner, many peers a step",
    .source = "MPICH: scattered",
    .collectives = only_alltoall,
    .domain = "any p up to 2048",
    .steps = "1, or ceil((p-1)/batch)",
    .volumes = spread_out_volumes,
    .description = spread_out_description,
    .parameters = spread_out_parameters,
    .outside = spread_out_outside,
    .make = make_spread_out,
};

}  // namespace onceover::schedules
