// Claims of a class report: Poduval and Kumar on ring and recursive halving/doubling allreduce.
#include <fmt/format.h>

#include "papers/claim.h"
#include "programs/blocking.h"
#include "schedules/catalogue.h"

namespace onceover::papers {

namespace {

BlockingRun ring_as(CallOrder order, Rank ranks) {
  return run_blocking(*find_algorithm("ring")->make(on_line(Collective::allreduce, ranks)), order);
}

/// The listing's order, even ranks send first: it ends for every p.
ClaimFinding even_odd_ends() {
  for (Rank p = 2; p <= 64; ++p)
    if (!ring_as(CallOrder::even_odd, p).ends())
      return {.refutation = Refutation{fmt::format("p = {}", p), "it deadlocks"}};
  return {};
}

/// Two turns for each of the 2 (p-1) exchanges.
ClaimFinding two_turns(Rank first, Rank by) {
  for (Rank p = first; p <= 64; p += by) {
    const BlockingRun run = ring_as(CallOrder::even_odd, p);
    const auto expected = static_cast<std::uint64_t>(4 * (p - 1));
    if (run.rounds > expected)
      return {.refutation = Refutation{fmt::format("p = {}", p), fmt::format("{} turns, not {}", run.rounds, expected),
                                       fmt::format("verify --algo ring --p {} --blocking even-odd", p)}};
  }
  return {};
}

ClaimFinding all_send_first_deadlocks() {
  for (Rank p = 2; p <= 64; ++p)
    if (ring_as(CallOrder::all_send_first, p).ends())
      return {.refutation = Refutation{fmt::format("p = {}", p), "it ends"}};
  return {};
}

}  // namespace

std::vector<Claim> report_claims() {
  return {
      {.id = "report-ring",
       .paper = Paper::report,
       .place = "section 2.1",
       .statement = "Ring takes 2 (N-1) exchanges and is right.",
       .says = {schedules({.algorithm = "ring", .ranks = "2..128"}, {"exactly-once"}, {"steps == 2*(p-1)"})},
       .theorems = {"ring"}},
      {.id = "report-even-odd-ends",
       .paper = Paper::report,
       .place = "figure 1",
       .statement = "With even ranks sending first and odd ones receiving first, blocking calls end.",
       .says = {search("p = 2..64", even_odd_ends)},
       .correct = "If all send first they never do, unless messages are buffered."},
      {.id = "report-all-send-first",
       .paper = Paper::report,
       .place = "figure 1",
       .statement = "Not in the text: if every rank sent first, the calls would wait for each other for ever.",
       .says = {search("p = 2..64", all_send_first_deadlocks)},
       .kind = ClaimKind::ours},
      {.id = "report-even-odd-turns",
       .paper = Paper::report,
       .place = "section 2.1",
       .statement = "Alternate ranks send in one turn and receive in the next: two turns an exchange.",
       .says = {search("p = 2..64", [] { return two_turns(2, 1); })},
       .correct = "For even p, such as the 2, 4, 8 and 16 nodes of the report. For odd p two neighbours are of the "
                  "same parity, and the order costs further turns.",
       .corrected = {search("even p = 2..64", [] { return two_turns(2, 2); })}},
      {.id = "report-halving-doubling",
       .paper = Paper::report,
       .place = "figures 2 and 3",
       .statement = "The recursive code reduces and gathers for powers of two, each rank ending the reduce-scatter "
                    "with its own slice.",
       .says = {schedules({.algorithm = "recursive-halving-doubling", .ranks = "2^1..2^8"}, {"exactly-once"},
                          {"steps == 2*log2(p)", "blocks_sent_max == 2*(p-1)"})},
       .theorems = {"recursive-doubling"}},
      {.id = "report-halving-is-rabenseifner",
       .paper = Paper::report,
       .place = "figures 2 and 3",
       .statement = "It is the algorithm known as recursive halving and doubling.",
       .says = {same_transfers({.algorithm = "recursive-halving-doubling", .ranks = "2^1..2^7"},
                               {.algorithm = "rabenseifner", .ranks = "2^1..2^7", .settings = {"order=far"}})},
       .correct = "Rabenseifner's, far partners first, transfer by transfer."},
      {.id = "report-bandwidth-factor",
       .paper = Paper::report,
       .place = "section 4, figure 8",
       .statement = "The bandwidth factor 2 (p-1)^2/p is 1, 4.5, 12.25 and 28.125 for 2, 4, 8 and 16 nodes.",
       .says = {schedules({.algorithm = "ring", .ranks = "2,4,8,16"}, {"exactly-once"},
                          {"blocks_sent_max/blocks == 2*(p-1)*(p-1)/p"})},
       .correct =
           "A rank sends 2 (p-1)/p vectors: for 16 nodes 30 of 16 blocks, 1.875. The table has it p-1 times over, "
           "so its constant product with the bandwidth says nothing of a bound.",
       .corrected = {schedules({.algorithm = "ring", .ranks = "2,4,8,16"}, {"exactly-once"},
                               {"blocks_sent_max/blocks == 2*(p-1)/p"})}},
  };
}

}  // namespace onceover::papers
