// Schedules from a formula for the peers: a user's own algorithm in one line.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "schedules/formula.h"
#include "schedules/schedule.h"

namespace onceover::schedules {

/// Whom rank r talks to at step s among p ranks, and for how many steps.
struct PeerRule {
  Formula peer;                       // in peer_variables(); taken mod p
  std::optional<Formula> steps = {};  // in steps_variables(); without it ceil(log2 p)
};

/// r, s, p: rank, step, ranks.
std::span<const std::string_view> peer_variables();

/// p.
std::span<const std::string_view> steps_variables();

/// What a rule means for p ranks: who runs it, for how many steps, and with whom. Whatever judges a rule asks here.
///
/// All p ranks run it, evaluated with that p. But an odd p has no pairs: where p - 1 ranks have steps and the rule
/// pairs all of them at each, and p + 1 ranks, too, the *last rank is apart*. Then the first p - 1 run the rule as if
/// they were alone: evaluated with p - 1 for p, the number of steps, too.
///
/// 4 bytes a rank and step. Fails with a message where the rule has no value, or there are more than 65,536 steps, 4
/// million messages in a reduce-scatter, or ranks^2 * steps bits in 256 MiB.
class PeerTable {
 public:
  static tl::expected<PeerTable, SourceError> of(const PeerRule& rule, Rank ranks);

  Rank ranks() const { return ranks_; }
  Rank running() const { return running_; }  // 0 .. running() - 1 run the rule, with running() for p
  bool last_rank_apart() const { return running_ < ranks_; }
  int steps() const { return steps_; }

  /// Whom a rank that runs the rule talks to.
  Rank operator()(Rank rank, int step) const {
    return peers_[static_cast<std::size_t>(step) * static_cast<std::size_t>(running_) + static_cast<std::size_t>(rank)];
  }

  /// The first step and rank whose peer has another peer, if there is one.
  std::optional<std::string> unpaired() const;

 private:
  PeerTable(Rank ranks, Rank running, int steps) : ranks_(ranks), running_(running), steps_(steps) {}

  Rank ranks_;
  Rank running_;
  int steps_;
  std::vector<Rank> peers_;  // by step, then rank
};

/// The schedule of a rule for some number of ranks.
struct PeerSchedule {
  SchedulePtr schedule;
  bool last_rank_apart;                 // see PeerTable
  std::optional<std::string> unpaired;  // where two ranks are not each other's peers
};

/// The reduce-scatter, allgather or allreduce of one block a rank that the rule stands for. A rank sends at a step what
/// its peer there owns or can send later on, less what the rank can send later itself; so no block goes twice, and what
/// could is sent last. The allgather is the time reversal. Right whenever the steps' paths lead from every rank to
/// every other one. (Swing paper, section 3.2)
///
/// A rank that is apart exchanges one block with each of the others directly, as in Swing. Fails as PeerTable does.
/// O(ranks^2 * steps / 64).
tl::expected<PeerSchedule, SourceError> make_peer_schedule(const PeerRule& rule, Collective collective, Rank ranks);

}  // namespace onceover::schedules
