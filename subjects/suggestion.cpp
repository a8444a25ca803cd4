#include "subjects/suggestion.h"

#include <algorithm>

#include "base/rows.h"
#include "base/stop.h"
#include "schedules/formula.h"

namespace onceover::subjects {

namespace {

bool passes(const PeerRule& rule, Collective collective, Rank ranks, const VerifyOptions& options) {
  const auto made = make_peer_schedule(rule, collective, ranks);
  return made && verify(*made->schedule, options).verdict == Verdict::pass;
}

/// The peers of all ranks at all steps, which say all that a rule means.
std::vector<Rank> peers_of(const PeerRule& rule, std::span<const Rank> ranks) {
  std::vector<Rank> peers;
  for (const Rank p : ranks)
    if (const auto table = PeerTable::of(rule, p))
      for (int step = 0; step < table->steps(); ++step)
        for (Rank r = 0; r < table->running(); ++r) peers.push_back((*table)(r, step));
  return peers;
}

}  // namespace

std::vector<PeerRule> suggestions(const PeerRule& rule, Collective collective, std::span<const Rank> ranks,
                                  const VerifyOptions& options, std::size_t most) {
  std::vector<PeerRule> found;
  std::vector<std::vector<Rank>> known;
  for (const Formula& formula : neighbours(rule.peer, peer_variables())) {
    if (found.size() == most || stop_requested()) break;
    const PeerRule other{formula, rule.steps, rule.odd};
    const bool is_right =
        std::all_of(ranks.begin(), ranks.end(), [&](Rank p) { return passes(other, collective, p, options); });
    if (is_right && add_new(known, peers_of(other, ranks))) found.push_back(other);
  }
  return found;
}

}  // namespace onceover::subjects
