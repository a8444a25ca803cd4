// Algorithms as the papers print them, where the text is wrong. They are kept so that the checker can show what goes
// wrong. Each equals a right row of the catalogue except for the one thing that the text says differently: which blocks
// go when, to whom, or for which p. The domain of such a row is where the text fails or sends in vain. Elsewhere it is
// refused, because a pass there would say nothing about the text.
//
// Example: three vectors fold. The text sends the vectors from floor(3/2) = 1 on, so 1 and 2, one place to the left.
// Vector 1 should have stayed for vector 2 to land on; it counts twice.
//
// The rows along peers are made from paths (peer_paths.h). These take p^2 * log2 p bits, and then 16 bytes for each
// pair of ranks. So these rows end at 1024 ranks; the texts go wrong long before.

#include <fmt/format.h>

#include "schedules/algorithms/swing_peers.h"
#include "schedules/peer_paths.h"

namespace onceover::schedules {

namespace {

constexpr Rank most_ranks = 1024;

/// The collectives that show the errors. As allgathers some of the texts only send too much.
constexpr std::array with_reductions{Collective::allreduce, Collective::reduce_scatter};
constexpr std::array only_reduce_scatter{Collective::reduce_scatter};

std::optional<std::string> refuse_unless(const Algorithm& row, bool is_inside, const Request& request) {
  if (is_inside) return refuse_above(row, request, most_ranks);
  return fmt::format("{} shows the text for {}, not for {}, where it is right or silent", row.name, row.domain,
                     shape_text(request.shape));
}

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
    .domain = "even p from 6 to 1024 that are no powers of two",
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
    .domain = "even p from 6 to 1024 that are no powers of two",
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

const Algorithm swing_delta_algorithm{
    .name = "swing-delta",
    .summary = "as printed: peers at distance delta, always to the same side",
    .source = "Swing paper, section 4.1",
    .collectives = with_reductions,
    .domain = "even p from 4 to 1024",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .description =
        R"(Section 4.1 prints delta in the peer rule where section 3.1.1 has rho: even ranks always talk to their right, odd
ones to their left. From p = 4 on not every rank is reached. `swing` uses rho in every dimension.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) { return refuse_unless(swing_delta_algorithm, is_even_from_4(request), request); },
    .make =
        [](const Request& request) {
          const Rank p = request.ranks();
          auto peer = [p](Rank rank, int step) {
            const std::int64_t delta = std::abs(rho(step));
            return around(rank % 2 == 0 ? rank + delta : rank - delta, p);
          };
          return along_peers(swing_delta_algorithm, request, ceil_log2(p), peer, Repeats::last);
        },
};

const Algorithm swing_latency_unfolded_algorithm{
    .name = "swing-latency-unfolded",
    .summary = "as printed: whole vectors at every step, for any even p",
    .source = "Swing paper, sections 3.1.2 and 3.2",
    .collectives = only_allreduce,
    .domain = "even p from 6 to 1024 that are no powers of two",
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

const Algorithm generalized_as_printed_algorithm{
    .name = "generalized-as-printed",
    .summary = "as printed: floors where an odd number of vectors folds",
    .source = "Kolmakov and Zhang, equations 18 to 20",
    .collectives = with_reductions,
    .domain = "p from 3 to 1024 that are no powers of two",
    .steps = "ceil(log2 p) (allreduce: twice as many)",
    .description =
        R"(N vectors fold as equations (18) to (20) say: those from floor(N/2) to N-1 go floor(N/2) places to the left. Where N
is odd that is one too many: vector floor(N/2) goes too, onto vector 0, which should rest. At p = 3 vector 1 is counted twice.
`generalized` sends from ceil(N/2) on.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) {
          return refuse_unless(generalized_as_printed_algorithm, !is_power_of_two(request.ranks()), request);
        },
    .make =
        [](const Request& request) {
          PatternedSchedule::Builder plan;
          for (Rank n = request.ranks(); n > 1; n = (n + 1) / 2) {
            plan.begin_step();
            plan.add({.indices = Indices::range(0, request.ranks()),
                      .ring = request.ranks(),
                      .to = Place::by(-(n / 2)),
                      .blocks = Blocks::relative_run({-(n - 1), -(n / 2)})});
          }
          return from_reduce_scatter(generalized_as_printed_algorithm, request, 1, std::move(plan));
        },
};

const Algorithm bruck_as_printed_algorithm{
    .name = "bruck-as-printed",
    .summary = "as printed: the third step for 7 ranks sends the data of rank-6",
    .source = "PAT paper, section 2",
    .collectives = only_allgather,
    .domain = "p = 7",
    .steps = "3",
    .description =
        R"(The example with 7 ranks, farthest dimension first: the first step sends the rank's own data, the second its own and
that of rank-4, the third its own and that of rank-4 and rank-6. But rank-6 is the next rank to the right, which has its own
data; and nobody sends it the block of rank-3. `bruck` sends those of rank-2 and rank-4.
)",
    .as_printed = true,
    .outside =
        [](const Request& request) { return refuse_unless(bruck_as_printed_algorithm, request.ranks() == 7, request); },
    .make =
        [](const Request& request) {
          struct Step {
            Rank distance;
            std::vector<Block> offsets;
          };
          PatternedSchedule::Builder plan;
          for (const Step& step : {Step{4, {0}}, Step{2, {0, -4}}, Step{1, {0, -4, -6}}}) {
            plan.begin_step();
            plan.add({.indices = Indices::range(0, 7),
                      .ring = 7,
                      .to = Place::by(step.distance),
                      .blocks = Blocks::relative(step.offsets)},
                     Op::copy);
          }
          return with_blocks(bruck_as_printed_algorithm, request, 1, 7, std::move(plan));
        },
};

}  // namespace onceover::schedules
