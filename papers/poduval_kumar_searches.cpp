// Searches for the claims of a class report: Poduval and Kumar on ring and recursive halving/doubling allreduce.
#include <fmt/format.h>

#include "papers/searches.h"
#include "programs/blocking.h"
#include "schedules/catalogue.h"

namespace onceover::papers {

namespace {

BlockingRun ring_as(CallOrder order, Rank ranks) {
  return run_blocking(*find_algorithm("ring")->make(on_line(Collective::allreduce, ranks)), order);
}

/// The listing's order, in which even ranks send first, ends for every p.
ClaimFinding even_odd_ends() {
  for (Rank p = 2; p <= 64; ++p)
    if (!ring_as(CallOrder::even_odd, p).ends())
      return {.refutation = Refutation{fmt::format("p = {}", p), "it deadlocks"}};
  return {};
}

/// It takes two turns for each of the 2 (p-1) exchanges.
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

std::vector<NamedEvidence> report_searches() {
  return {
      {"ring-even-odd-ends", search("p = 2..64", even_odd_ends)},
      {"ring-all-send-first-deadlocks", search("p = 2..64", all_send_first_deadlocks)},
      {"ring-two-turns", search("p = 2..64", [] { return two_turns(2, 1); })},
      {"ring-two-turns-for-even-p", search("even p = 2..64", [] { return two_turns(2, 2); })},
  };
}

}  // namespace onceover::papers
