// Swing as its paper prints it, where the text is wrong (algorithms.h).
//
// Example: at p = 4, figure 3 has rank 0 send three blocks at step 0: the block of rank 1, what rank 1 reaches later,
// and what rank 0 sends at step 1 anyway.
//
// The rows along peers are made from paths, or from the factor that `swing` is made from, with other distances.

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "schedules/algorithms/algorithms.h"
#include "schedules/algorithms/swing_peers.h"
#include "schedules/peer_paths.h"

namespace onceover::schedules {

std::optional<std::string> refuse_unless(const Algorithm& row, bool is_inside, const Request& request,
                                         std::string_view domain) {
  if (is_inside) return refuse_above(row, request, most_ranks_as_printed);
  return fmt::format("{} shows the text for {}, not for {}, where it is right or silent", row.name,
                     domain.empty() ? row.domain : domain, shape_text(request.shape));
}

namespace {

bool is_even_from_4(const Request& request) {
  return request.ranks() >= 4 && request.ranks() % 2 == 0;
}

bool is_even_no_power(const Request& request) {
  return request.ranks() % 2 == 0 && !is_power_of_two(request.ranks());
}

PeerFunction swing_peers(Rank p) {
  return [p](Rank rank, int step) { return swing_peer(rank, step, p); };
}

SchedulePtr along_peers(const Algorithm& row, const Request& request, int steps, const PeerFunction& peer,
                        Repeats repeats) {
  PatternedSchedule::Builder plan;
  add_reduce_scatter_along(plan, request.ranks(), request.ranks(), steps, peer, repeats);
  return from_reduce_scatter(row, request, 1, std::move(plan));
}

int floor_log2(Rank n) {
  return ceil_log2(n + 1) - 1;
}

}  // namespace

const Algorithm swing_figure_3_algorithm{
    .name = "swing-figure-3",
    .summary = "as printed: every step marks what all later steps send, too",
    .source = "Swing paper, figure 3",
    .collectives = only_reduce_scatter,
    .domain = "even p from 4 to 1024",
    .steps = "floor(log2 p)",
    .description =
        R"(The pseudocode of figure 3: get_rs_idxs(r, s) marks the peers of all steps from s on and, for each of them, what
it reaches later; all that goes to the peer of step s. So blocks go that will go again, another way: at p = 4 a rank sends 3
blocks and 1, not 2 and 1. For powers of two nobody uses what went too early, and the result is right. For other p the text
ends after int(log2 p) steps, one too few.

Read kindly: blocks_s and blocks_r are one list in the text, here they are two, and `peer` is dest. `swing` is what works;
--require no-redundant-transfer shows what is sent in vain at powers of two.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(swing_figure_3_algorithm, is_even_from_4(request), request);
        },
    .make =
        [](const Request& request) {
          return along_peers(swing_figure_3_algorithm, request, floor_log2(request.ranks()),
                             swing_peers(request.ranks()), Repeats::at_once);
        },
};

const Algorithm swing_keep_first_algorithm{
    .name = "swing-keep-first",
    .summary = "as printed: no block is sent twice, the first time counts",
    .source = "Swing paper, section 3.2",
    .collectives = with_reductions,
    .domain = "even p from 6 to 1024 that are not powers of two",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .description =
        R"(Section 3.2 has each node not send the same data block twice, and leaves open which of the two times it goes (appendix A.2
says: in the last step, see swing-final-step). Here it goes the first time: what reaches the rank after that is lost. `swing`
sends it the last time.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(swing_keep_first_algorithm, is_even_no_power(request), request);
        },
    .make =
        [](const Request& request) {
          return along_peers(swing_keep_first_algorithm, request, ceil_log2(request.ranks()),
                             swing_peers(request.ranks()), Repeats::first);
        },
};

const Algorithm swing_final_step_algorithm{
    .name = "swing-final-step",
    .summary = "as printed: a block that would go twice goes in the last step of all",
    .source = "Swing paper, appendix A.2",
    .collectives = with_reductions,
    .domain = "even p from 6 to 1024 that are not powers of two",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .description =
        R"(Appendix A.2 has each node find the blocks that it would send twice and send them only in the last step. The peer of
that step need not be one that the block is sent to: at p = 6 rank 4 has block 0 at steps 0 and 1. `swing` sends it the
last time that it comes up.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(swing_final_step_algorithm, is_even_no_power(request), request);
        },
    .make =
        [](const Request& request) {
          return along_peers(swing_final_step_algorithm, request, ceil_log2(request.ranks()),
                             swing_peers(request.ranks()), Repeats::final_step);
        },
};

namespace {

/// On a torus each side is even, and one is longer than the 2 on which both sides are one.
bool has_even_sides(const Request& request) {
  const auto& sides = request.shape;
  return std::all_of(sides.begin(), sides.end(), [](Rank side) { return side % 2 == 0; }) &&
         *std::max_element(sides.begin(), sides.end()) >= 4;
}

std::int64_t delta(int step) {
  return std::abs(rho(step));
}

SchedulePtr make_delta(const Request& request) {
  const int lanes = lane_count(request);
  PatternedSchedule::Builder plan;
  for (int lane = 0; lane < lanes; ++lane) {
    const int sign = lane >= request.dimensions() ? -1 : +1;
    std::vector<Factor> factors;
    for (const Rank side : request.shape)
      factors.push_back(mirroring_factor(side, [sign](int step) { return sign * delta(step); }));
    add_steps(plan, factors, round_robin(factors, lane), {.lane = lane});
  }
  return from_reduce_scatter(swing_delta_algorithm, request, lanes, std::move(plan));
}

}  // namespace

const Algorithm swing_delta_algorithm{
    .name = "swing-delta",
    .summary = "as printed: peers at distance delta, always to the same side",
    .source = "Swing paper, section 4.1",
    .collectives = with_reductions,
    .domain = "even p from 4 to 1024, tori with even sides",
    .steps = "ceil(log2 n), summed over the sides n (allreduce: twice as many)",
    .description =
        R"(Section 4.1 prints delta in the peer rule where section 3.1.1 has rho: even ranks always talk to their right, odd
ones to their left. From a side of 4 on not every rank is reached. `swing` uses rho in every dimension; everything else is
the same, also the order of the dimensions and the lanes.
)",
    .on_tori = true,
    .has_lanes = true,
    .as_printed = true,
    .outside =
        [](const Request& request) { return refuse_unless(swing_delta_algorithm, has_even_sides(request), request); },
    .make = make_delta,
};

namespace {

constexpr std::array first_steps{std::string_view("0"), std::string_view("1")};
constexpr std::array roundings{std::string_view("down"), std::string_view("up")};
constexpr std::array odd_parameters{
    Parameter{.name = "first-step", .summary = "the number of the first step", .preset = "0", .choices = first_steps},
    Parameter{.name = "rounding", .summary = "how (p-1)/2^s is rounded", .preset = "down", .choices = roundings},
};

/// (p-1)/2^s for each step of the algorithm on p-1 ranks, rounded as asked for.
std::vector<Rank> printed_counts(const Request& request) {
  const Rank others = request.ranks() - 1;
  const Rank up = setting(swing_odd_blocks_algorithm, request, "rounding") == "up" ? 1 : 0;
  const auto first = number_setting(swing_odd_blocks_algorithm, request, "first-step");
  std::vector<Rank> counts;
  for (int s = 0; s < ceil_log2(others); ++s) {
    const Rank parts = Rank{1} << (s + first);
    counts.push_back((others + up * (parts - 1)) / parts);
  }
  return counts;
}

/// Where the counts don't add up to p-1, somebody is served twice or never.
bool is_miscounted(const Request& request) {
  if (request.ranks() < 3 || request.ranks() % 2 == 0) return false;
  const auto counts = printed_counts(request);
  return std::accumulate(counts.begin(), counts.end(), Rank{0}) != request.ranks() - 1;
}

/// The last rank goes around the others, as in figure 4, and begins anew after the last of them.
SchedulePtr make_odd_blocks(const Request& request) {
  const Rank others = request.ranks() - 1;
  const OddOneOut last(others);
  const auto counts = printed_counts(request);
  Factor factor = swing_factor(others, false);
  PatternedSchedule::Builder plan;
  Rank next = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    auto& axes = factor.sends[s];
    for (Axis& axis : axes) axis.extent = request.ranks();
    const Rank end = next + counts[s];
    last.exchange_with(next, std::min(end, others), axes);
    if (end > others) last.exchange_with(0, end - others, axes);
    next = end % others;
    plan.begin_step();
    for (Axis& axis : axes) plan.add(std::move(axis));
  }
  return from_reduce_scatter(swing_odd_blocks_algorithm, request, 1, std::move(plan));
}

}  // namespace

const Algorithm swing_odd_blocks_algorithm{
    .name = "swing-odd-blocks",
    .summary = "as printed: (p-1)/2^s blocks to and from the last rank of an odd number",
    .source = "Swing paper, section 3.2",
    .collectives = with_reductions,
    .domain = "odd p to 1024 where the numbers don't add up to p-1",
    .steps = "ceil(log2(p-1)) (allreduce: twice as many)",
    .description =
        R"(Section 3.2 has the last of an odd number of ranks exchange (p-1)/2^s blocks at step s with as many others. Steps
begin with 0, so it exchanges with everybody at step 0, and with some again: from p = 5 on their contributions count twice.
Counted from 1 (--set first-step=1), some are left out, at p = 3 already; rounded up as well (--set rounding=up), the
numbers are right for p = 7, as figure 4 has it, and for some others, but at p = 5 one rank is left out, and at p = 11 one
is served twice.

The last rank takes the others in order, as in figure 4, and begins anew after the last. `swing` serves half of those that
remain, rounded up, and at the last step all.
)",
    .parameters = odd_parameters,
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(swing_odd_blocks_algorithm, is_miscounted(request), request);
        },
    .make = make_odd_blocks,
};

const Algorithm swing_latency_unfolded_algorithm{
    .name = "swing-latency-unfolded",
    .summary = "as printed: whole vectors at every step, for any even p",
    .source = "Swing paper, sections 3.1.2 and 3.2",
    .collectives = only_allreduce,
    .domain = "even p from 6 to 1024 that are not powers of two",
    .steps = "ceil(log2 p)",
    .description =
        R"(The latency-optimal exchange uses the pattern of the other one, and section 3.2 takes that to any even p. But the
vectors are sums already: what comes a second time can't be left out. From p = 6 on contributions count twice.
`swing-latency` folds.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(swing_latency_unfolded_algorithm, is_even_no_power(request), request);
        },
    .make =
        [](const Request& request) {
          const Rank p = request.ranks();
          PatternedSchedule::Builder plan;
          for (int s = 0; s < ceil_log2(p); ++s) {
            plan.begin_step();
            for (const Rank parity : {0, 1})
              plan.add({.indices = Indices::every_second(parity, p),
                        .ring = p,
                        .to = Place::by(around(parity == 0 ? rho(s) : -rho(s), p)),
                        .blocks = Blocks::all(1),
                        .extent = 1,
                        .rank_step = 1});
          }
          return with_blocks(swing_latency_unfolded_algorithm, request, 1, 1, std::move(plan));
        },
};

}  // namespace onceover::schedules
