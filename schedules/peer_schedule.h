// Schedules made from a formula for the peers: a user's own algorithm in one line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "schedules/formula.h"
#include "schedules/schedule.h"

namespace onceover::schedules {

/// Who runs a rule among an odd number of ranks.
enum class OddRanks : std::uint8_t {
  apart,       // all but the last, which exchanges directly with each of the others
  as_written,  // all of them
};

inline constexpr std::array odd_ranks{OddRanks::apart, OddRanks::as_written};

/// "apart" or "as-written".
std::string_view name(OddRanks odd);

/// The rank that rank r exchanges with at step s among p ranks, and the number of steps.
struct PeerRule {
  Formula peer;                       // in peer_variables(), modulo p
  std::optional<Formula> steps = {};  // in steps_variables(); ceil(log2 p) without it
  std::optional<OddRanks> odd = {};   // without it, PeerTable decides
};

/// "r", "s", "p": rank, step, ranks.
std::span<const std::string_view> peer_variables();

/// "p".
std::span<const std::string_view> steps_variables();

/// Why a rule makes no schedule: a mistake in it, or more than the budget of a formula.
struct PeerFailure : SourceError {
  PeerFailure(SourceError mistake, bool too_large = false) : SourceError(std::move(mistake)), is_too_large(too_large) {}

  bool is_too_large;
};

/// What a rule means for p ranks: which ranks run it, for how many steps, and with which peers. Everything that judges
/// a rule asks this table.
///
/// All p ranks run the rule, evaluated with that p. An odd p > 1 is the exception, because it has no pairing of all
/// ranks. There the *last rank is apart* if the rule says so (PeerRule::odd), or if it says nothing and is for pairs
/// only: its formula doesn't mention p, tells no rank at p ranks that it is its own peer, and pairs all of p - 1 ranks
/// at each step, and all of p + 1 ranks too. The first p - 1 ranks then run the rule as if they were alone, evaluated
/// with p - 1 for p, as is the number of steps.
///
/// Memory: 4 bytes a rank and step. Fails with a message if the rule has no value, or there are more than 65,536 steps;
/// as too large, if there are more than 4 million messages in a reduce-scatter.
class PeerTable {
 public:
  static tl::expected<PeerTable, PeerFailure> of(const PeerRule& rule, Rank ranks);

  Rank ranks() const { return ranks_; }
  Rank running() const { return running_; }  // ranks 0 .. running() - 1 run the rule, with running() for p
  bool last_rank_apart() const { return running_ < ranks_; }

  /// Why all of an odd number of ranks run a rule that pairs one rank less and one more: "it mentions p". Else empty.
  std::string_view why_as_written() const { return why_as_written_; }

  int steps() const { return steps_; }

  /// The peer of a rank that runs the rule.
  Rank operator()(Rank rank, int step) const {
    return peers_[static_cast<std::size_t>(step) * static_cast<std::size_t>(running_) + static_cast<std::size_t>(rank)];
  }

  /// The first step and rank whose peer has another peer, as a text; nothing if there is none.
  std::optional<std::string> unpaired() const;

 private:
  PeerTable(Rank ranks, Rank running, int steps, std::string_view why)
      : ranks_(ranks), running_(running), steps_(steps), why_as_written_(why) {}

  Rank ranks_;
  Rank running_;
  int steps_;
  std::string_view why_as_written_;
  std::vector<Rank> peers_;  // by step, then rank
};

/// The schedule of a rule for p ranks.
struct PeerSchedule {
  SchedulePtr schedule;
  bool last_rank_apart;  // see PeerTable, as for the next
  std::string_view why_as_written;
  std::optional<std::string> unpaired;  // a step and ranks where peers are not mutual
};

/// The reduce-scatter, allgather or allreduce of one block a rank that the rule stands for. At a step a rank sends what
/// its peer there owns or can send later, except what the rank can send later itself. So no block goes twice, and each
/// goes as late as possible. The allgather is the time reversal. The schedule is right whenever the steps' paths lead
/// from every rank to every other one. (Swing paper, section 3.2)
///
/// A rank that is apart exchanges one block with each of the others directly, as in Swing. Fails as PeerTable does, and
/// as too large with more than 256 MiB in ranks^2 * steps bits, or 2^24 runs of blocks in the messages of the
/// reduce-scatter. Neither is reached where the ranks share patterns (peer_paths.h). O(ranks^2 * steps / 64), or
/// O(ranks * steps) where they do.
tl::expected<PeerSchedule, PeerFailure> make_peer_schedule(const PeerRule& rule, Collective collective, Rank ranks);

}  // namespace onceover::schedules
