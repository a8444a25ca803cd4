// Schedules from a formula for the peers: a user's own algorithm in one line.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "schedules/formula.h"
#include "schedules/schedule.h"

namespace onceover {

/// Whom rank r talks to at step s among p ranks, and for how many steps.
struct PeerRule {
  Formula peer;                       // in peer_variables(); taken mod p
  std::optional<Formula> steps = {};  // in steps_variables(); without it ceil(log2 p)
};

/// r, s, p: rank, step, ranks.
std::span<const std::string_view> peer_variables();

/// p.
std::span<const std::string_view> steps_variables();

/// What a rule is for some number of ranks.
struct PeerSchedule {
  SchedulePtr schedule;
  bool last_rank_apart;                 // p is odd, and the rule was made for p - 1 ranks
  std::optional<std::string> unpaired;  // where two ranks are not each other's peers
};

/// The reduce-scatter, allgather or allreduce of one block a rank that the rule stands for. A rank sends at a step what
/// its peer there owns or can send later on, less what the rank can send later itself; so no block goes twice, and what
/// could is sent last. The allgather is the time reversal. Right whenever the steps' paths lead from every rank to
/// every other one. (Swing paper, section 3.2)
///
/// Odd p: if the rule pairs all ranks for p - 1 and for p + 1, as one made for even p does, the last rank is left out
/// of it and exchanges one block with each of the others directly, as in Swing; else the rule is used for p itself.
///
/// Fails with a message where the formula has no value or the schedule would be too large: at most 65,536 steps, 4
/// million messages in a reduce-scatter, and ranks^2 * steps bits in 256 MiB. O(ranks^2 * steps / 64).
tl::expected<PeerSchedule, SourceError> make_peer_schedule(const PeerRule& rule, Collective collective, Rank ranks);

}  // namespace onceover
