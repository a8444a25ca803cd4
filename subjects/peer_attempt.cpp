#include "subjects/peer_attempt.h"

#include <utility>

#include "base/resource_limits.h"
#include "base/stop.h"

namespace onceover::subjects {

namespace {

/// The largest p in the search for a wrong one.
constexpr Rank most_tried = 64;

/// The smallest wrong p in the family's domain up to `most_tried`.
std::optional<PeerAttempt::Wrong> smallest_wrong(const PeerRule& rule, std::optional<PeerFamily> family) {
  for (Rank p = 2; p <= most_tried; ++p) {
    stop_point();
    if (family && !is_in_domain(*family, rule, p)) continue;
    if (auto wrong = find_wrong(rule, p)) return wrong;
  }
  return std::nullopt;
}

}  // namespace

std::optional<PeerAttempt::Wrong> find_wrong(const PeerRule& rule, Rank ranks) {
  const auto made = make_peer_schedule(rule, Collective::reduce_scatter, ranks);
  if (!made) return std::nullopt;
  Report report = verify(*made->schedule, {.threads = 1});
  if (report.verdict != Verdict::fail) return std::nullopt;
  return PeerAttempt::Wrong{ranks, std::move(report)};
}

PeerAttempt attempt_peers(const PeerRule& rule, const std::vector<Solver>& solvers) {
  PeerAttempt attempt{.proof = prove_peers(rule)};
  attempt.domain = attempt.proof->family ? proofs::domain(*attempt.proof->family, rule) : "every p";
  if (const auto& theorem = attempt.proof->theorem) attempt.discharged = prove({&*theorem}, solvers, 1).front();
  if (attempt.discharged && attempt.discharged->holds()) {
    attempt.verdict = Verdict::pass;
    return attempt;
  }
  auto failure = within_limits([&] { return smallest_wrong(rule, attempt.proof->family); });
  if (!failure)
    attempt.unfinished = failure.error();
  else
    attempt.wrong = *std::move(failure);
  if (attempt.wrong) attempt.verdict = Verdict::fail;
  return attempt;
}

}  // namespace onceover::subjects
