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

/// For even p it takes two turns for each of the 2 (p-1) exchanges, for odd p more.
ClaimFinding two_turns(bool for_even) {
  for (Rank p = for_even ? 2 : 3; p <= 64; p += 2) {
    const std::uint64_t turns = ring_as(CallOrder::even_odd, p).rounds;
    const auto expected = static_cast<std::uint64_t>(4 * (p - 1));
    if (for_even ? turns != expected : turns <= expected)
      return {.refutation = Refutation{fmt::format("p = {}", p),
                                       fmt::format("{} turns, not {}{}", turns, for_even ? "" : "more than ", expected),
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
      {"ring-two-turns-for-even-p", search("even p = 2..64", [] { return two_turns(true); })},
      {"ring-more-turns-for-odd-p", search("odd p = 3..63", [] { return two_turns(false); })},
  };
}

}  // namespace onceover::papers
