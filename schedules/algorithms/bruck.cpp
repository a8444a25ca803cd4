// Bruck's allgather and PAT: a binomial tree for each rank's block, all turned around the ring.
//
// A block is at *displacement* x when it is x ranks to the right of its owner. An edge x -> x + 2^d of the tree stands
// for one transfer of every rank: each sends, to the rank 2^d to its right, the block of the rank x to its left.

#include <fmt/format.h>

#include <functional>

#include "schedules/algorithms/algorithms.h"

namespace onceover::schedules {

namespace {

constexpr Rank bruck_most_ranks = 1 << 20;
constexpr Rank most_ranks_linear = 1 << 20;

/// Every rank sends the blocks at these displacements to the rank `distance` to its right.
Axis send_displaced(Rank p, Rank distance, const std::vector<Run>& displacements) {
  Blocks blocks{.move = true, .offsets = {}};
  for (const Run run : displacements) blocks.offsets.push_back({-run.last, -run.first});
  return {.indices = Indices::range(0, p), .ring = p, .to = Place::by(distance), .blocks = std::move(blocks)};
}

/// The multiples of 2 * distance from which an edge of length `distance` leads to a displacement below p.
std::vector<Run> far_first_senders(Rank p, Rank distance) {
  std::vector<Run> senders;
  for (std::int64_t x = 0; x + distance < p; x += 2 * std::int64_t{distance})
    senders.push_back({static_cast<Rank>(x), static_cast<Rank>(x)});
  return senders;
}

/// Makes the collective that is asked for from a builder that holds an allgather: the other collectives come from its
/// reversal.
SchedulePtr from_allgather(const Algorithm& row, const Request& request, PatternedSchedule::Builder&& builder) {
  builder.reverse(Op::reduce);
  return from_reduce_scatter(row, request, 1, std::move(builder));
}

constexpr std::array gather_and_scatter{Collective::allgather, Collective::reduce_scatter};
constexpr std::array bruck_collectives{Collective::allgather, Collective::reduce_scatter, Collective::allreduce,
                                       Collective::alltoall};

// bruck

constexpr std::string_view bruck_description =
    R"(Each block goes down a binomial tree that is turned to its owner; a step does one dimension of all trees at once.
order=near: at step k every rank sends all it has, the blocks of ranks r-2^k+1 to r, to rank r + 2^k. order=far: the
farthest dimension first; the blocks of ranks r - x for the multiples x of 2^(k+1). For p that is not a power of two the trees
are cut off: only displacements below p are sent.

The reduce-scatter is the time reversal, and the allreduce is both. Each rank sends p-1 blocks in each half, the least
possible. In the alltoall a block walks from its origin to its owner by the bits of their distance, the lowest first, or
the highest with order=far: at step k each rank sends about p/2 blocks to rank r + 2^k. (Bruck et al., 1997)

Steps: ceil(log2 p) (allreduce: twice as many).

The text describes the third step for 7 ranks, farthest first, as the blocks of rank-4 and rank-6 beside its own; so
every rank would miss one. They are those of rank-2 and rank-4.
)";

constexpr std::array<std::string_view, 2> bruck_orders{"near", "far"};
constexpr std::array bruck_parameters{
    Parameter{.name = "order", .summary = "which dimensions come first", .preset = "near", .choices = bruck_orders}};

std::optional<std::string> bruck_outside(const Request& request) {
  return refuse_above(bruck_algorithm, request,
                      request.collective == Collective::alltoall ? most_alltoall_ranks : bruck_most_ranks);
}

SchedulePtr make_bruck(const Request& request) {
  const Rank p = request.ranks();
  const int steps = ceil_log2(p);
  const bool near_first = setting(bruck_algorithm, request, "order") == "near";
  if (request.collective == Collective::alltoall)
    return walking(bruck_algorithm, request, steps, near_first ? by_lowest_digits(2) : by_highest_digits(2, steps));
  PatternedSchedule::Builder plan;
  for (int s = 0; s < steps; ++s) {
    const Rank distance = Rank{1} << (near_first ? s : steps - 1 - s);
    plan.begin_step();
    plan.add(near_first ? send_displaced(p, distance, {{0, std::min(distance, p - distance) - 1}})
                        : send_displaced(p, distance, far_first_senders(p, distance)),
             Op::copy);
  }
  return from_allgather(bruck_algorithm, request, std::move(plan));
}

// pat

constexpr std::string_view pat_description =
    R"(Bruck's trees with the farthest dimension first, in an order that bounds the blocks that a rank holds for others. With
aggregation A = 2^a the first a steps do the top dimensions of all trees, as far-first Bruck does. That leaves A subtrees of
2^(L-a) displacements each, L = ceil(log2 p), which are gone through in parallel, an edge a step, depth first.

With order=far, far edges come first: 4, 6, 7, 5, 2, 3, 1 are reached in a subtree of 8. With order=near, near ones do, and so
1, 2, 3, .. are reached in turn. The paper names both (section 3).

aggregation=full is far-first Bruck, aggregation=1 sends one block a step. The reduce-scatter is the time reversal.

Steps: a + 2^(L-a) - 1; where p is not a power of two, fewer if a step has no edge left. Blocks held for forwarding after a
step, as --staging asks, for A below p: at most A (L - a) - 1, with order=near A (floor((L - a) / 2) + 1) - 1.
)";

constexpr std::array<std::string_view, 2> pat_orders{"far", "near"};
constexpr std::array pat_parameters{
    Parameter{.name = "aggregation",
              .summary = "blocks in a message at most, a power of two",
              .preset = "full",
              .least = 1,
              .most = bruck_most_ranks},
    Parameter{
        .name = "order", .summary = "which edges of the subtrees come first", .preset = "far", .choices = pat_orders}};

/// How many of the top dimensions are done for all trees at once.
int full_dimensions(const Request& request) {
  if (setting(pat_algorithm, request, "aggregation") == "full") return ceil_log2(request.ranks());
  return ceil_log2(static_cast<Rank>(number_setting(pat_algorithm, request, "aggregation")));
}

std::optional<std::string> pat_outside(const Request& request) {
  const Rank p = request.ranks();
  if (setting(pat_algorithm, request, "aggregation") != "full") {
    const auto aggregation = static_cast<Rank>(number_setting(pat_algorithm, request, "aggregation"));
    const Rank full = Rank{1} << ceil_log2(p);
    if (!is_power_of_two(aggregation) || aggregation > full)
      return fmt::format("pat: aggregation is a power of two from 1 to {} (the full tree of p = {}), not {}", full, p,
                         aggregation);
  }
  return refuse_above(pat_algorithm, request, most_ranks_linear);
}

SchedulePtr make_pat(const Request& request) {
  const Rank p = request.ranks();
  const int dimensions = ceil_log2(p);
  const int top = std::min(full_dimensions(request), dimensions);
  const Rank subtree = Rank{1} << (dimensions - top);
  PatternedSchedule::Builder plan;
  auto add_step = [&](Rank distance, const std::vector<Run>& senders) {
    if (senders.empty()) return;
    plan.begin_step();
    plan.add(send_displaced(p, distance, senders), Op::copy);
  };
  for (int d = dimensions - 1; d >= dimensions - top; --d) add_step(Rank{1} << d, far_first_senders(p, Rank{1} << d));
  // Adds the edge x -> x + distance of every subtree, then the part of the tree below its end. The recursion is at most
  // `dimensions` deep.
  auto edge = [&](Rank x, Rank distance) {
    std::vector<Run> senders;
    for (Rank root = 0; root + x + distance < p; root += subtree) senders.push_back({root + x, root + x});
    add_step(distance, senders);
  };
  std::function<void(Rank, Rank)> visit = [&](Rank x, Rank size) {
    for (Rank distance = size / 2; distance > 0; distance /= 2) {
      edge(x, distance);
      visit(x + distance, distance);
    }
  };
  if (setting(pat_algorithm, request, "order") == "far")
    visit(0, subtree);
  else
    for (Rank y = 1; y < subtree; ++y) edge(y & (y - 1), y & -y);
  return from_allgather(pat_algorithm, request, std::move(plan));
}

constexpr std::array bruck_volumes{Volume{Collective::allgather, "(p-1) * size / p"},
                                   Volume{Collective::reduce_scatter, "(p-1) * size / p"},
                                   Volume{Collective::allreduce, "2 * (p-1) * size / p"},
                                   Volume{Collective::alltoall, "ceil(log2(p)) * size / 2", false}};

constexpr std::array pat_volumes{Volume{Collective::allgather, "(p-1) * size / p"},
                                 Volume{Collective::reduce_scatter, "(p-1) * size / p"}};

}  // namespace

const Algorithm bruck_algorithm{
    .name = "bruck",
    .summary = "binomial trees turned to each rank, a dimension a step",
    .source = "PAT paper, section 2",
    .collectives = bruck_collectives,
    .domain = "any p up to 1048576; alltoall: up to 2048",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .volumes = bruck_volumes,
    .description = bruck_description,
    .parameters = bruck_parameters,
    .outside = bruck_outside,
    .make = make_bruck,
};

const Algorithm pat_algorithm{
    .name = "pat",
    .summary = "parallel aggregated trees: Bruck far first, with bounded buffers",
    .source = "PAT paper, section 3",
    .collectives = gather_and_scatter,
    .domain = "any p up to 1048576",
    .steps = "log2 A + 2^ceil(log2 p) / A - 1 at most",
    .volumes = pat_volumes,
    .description = pat_description,
    .parameters = pat_parameters,
    .outside = pat_outside,
    .make = make_pat,
};

}  // namespace onceover::schedules
