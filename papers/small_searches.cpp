// Lower bounds over all schedules of a few ranks, as Z3 finds them. Each bound has a control: with one more, some
// schedule does it. If Z3 finds none then, the bound says nothing, and the search is undecided.
#include <fmt/format.h>

#include "papers/searches.h"
#include "proofs/small_schedules.h"
#include "schedules/numbers.h"

namespace onceover::papers {

namespace {

using proofs::Answer;
using proofs::Reply;
using proofs::SmallSchedules;

/// A bound of `least`: what the schedules are with a limit of `most`.
ClaimFinding bound(const std::string& where, int least, const std::function<SmallSchedules(int most)>& limited) {
  const Reply fewer = ask_small(limited(least - 1));
  if (fewer.answer == Answer::unknown) return {.unknown = fmt::format("{}: {}", where, fewer.reason)};
  if (fewer.answer == Answer::satisfiable) {
    std::string found;
    for (const auto& sent : fewer.model) found += (found.empty() ? "" : "; ") + sent.first;
    return {.refutation = Refutation{where, fmt::format("{} are enough: {}", least - 1, found)}};
  }
  const Reply control = ask_small(limited(least));
  if (control.answer == Answer::satisfiable) return {};
  return {.unknown = fmt::format("{}: Z3 finds no schedule with {} either", where, least)};
}

constexpr std::array collectives{Collective::reduce_scatter, Collective::allgather, Collective::allreduce};

/// At least ceil(log_(k+1) p) steps with k ports.
ClaimFinding fewest_steps() {
  for (const Collective collective : collectives)
    for (int p = 2; p <= 5; ++p)
      for (int ports = 1; ports <= 3; ++ports) {
        int least = 0;
        for (int reached = 1; reached < p; reached *= ports + 1) ++least;
        const auto where = fmt::format("{}, p = {}, {} port{}", name(collective), p, ports, ports == 1 ? "" : "s");
        ClaimFinding found = bound(where, least, [&](int steps) {
          return SmallSchedules{.collective = collective, .ranks = p, .steps = steps, .ports = ports};
        });
        if (found.refutation || !found.unknown.empty()) return found;
      }
  return {};
}

/// Each rank sends at least p-1 blocks of a reduce-scatter, and receives as many of an allgather.
ClaimFinding fewest_blocks() {
  for (const bool sends : {true, false})
    for (int p = 2; p <= 5; ++p) {
      ClaimFinding found =
          bound(fmt::format("blocks that a rank {}, p = {}", sends ? "sends" : "receives", p), p - 1, [&](int most) {
            SmallSchedules all{
                .collective = sends ? Collective::reduce_scatter : Collective::allgather, .ranks = p, .steps = p};
            (sends ? all.blocks_sent : all.blocks_received) = most;
            return all;
          });
      if (found.refutation || !found.unknown.empty()) return found;
    }
  return {};
}

}  // namespace

std::vector<NamedEvidence> small_searches() {
  return {
      {"fewest-steps", search("all schedules of 2 to 5 ranks with 1 to 3 ports, by Z3", fewest_steps)},
      {"fewest-blocks", search("all schedules of p = 2..5 ranks and p steps, by Z3", fewest_blocks)},
  };
}

}  // namespace onceover::papers
