// Is there a schedule of this collective with so few steps, messages and blocks? Asked of a SAT solver, for a few
// ranks.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "proofs/clauses.h"
#include "schedules/schedule.h"

namespace onceover::optimum {

/// A block that goes from rank to rank.
struct TimedMove {
  int step;
  Rank src;
  Rank dst;
  Block block;
  Op op;
};

/// Does the collective only add up, with time reversed what spreading is? Reduce and reduce-scatter.
bool is_gathering(Collective collective);

/// Does it add up and spread? Allreduce.
bool is_summing(Collective collective);

/// The moves without those whose value is part of no result, the last first.
std::vector<TimedMove> useful(const Header& header, std::vector<TimedMove> moves);

/// The moves as a schedule: all blocks from one rank to another by one operation in a step are a message. Steps in
/// which nothing is sent are left out.
SchedulePtr schedule_of(const Header& header, const std::vector<TimedMove>& moves);

/// All schedules of a collective with these limits. What isn't given is without limit. Steps may be empty, so a
/// question about S steps is about S or fewer. A message is what a rank sends to another in a step by one operation.
struct ScheduleQuestion {
  Header header;  // collective, ranks (2 or more), blocks, root; without scratch
  int steps = 0;
  std::optional<int> ports = {};   // messages that a rank sends, and receives, in a step
  std::optional<int> volume = {};  // blocks that a rank sends in all steps
  std::vector<bool> linked = {};   // [src * ranks + dst]: may src send to dst? Empty: all may

  bool may_send(Rank src, Rank dst) const {
    return src != dst && (linked.empty() || linked[static_cast<std::size_t>(src * header.ranks + dst)]);
  }
};

/// Which schedules a question is about.
enum class Assumed {
  /// Any: ranks may keep, combine and send whatever they like of what they know, also several values of a block. What
  /// counts is which rank has heard of whose contribution. All collectives but allreduce can do it exactly once
  /// whenever they can in this sense, with no more steps, messages or blocks; see the source.
  knowledge,
  /// A rank holds one value of each block, and each block lands in the block of the same number, as in schedules
  /// without scratch and `into`. For allreduce.
  one_value,
};

/// The question as clauses that can hold together exactly if there is such a schedule. Fails if there would be more
/// literals than `most_literals`. O(steps * ranks^2 * blocks) literals, and of an allreduce ranks times that; with a
/// volume, that times the volume.
tl::expected<Clauses, std::string> clauses_of(const ScheduleQuestion& question, Assumed assumed);

inline constexpr std::size_t most_literals = 4'000'000;

/// The same with these moves and no others: can the clauses hold? For a right schedule within the limits they must,
/// if no rank gets a block of a broadcast or an allgather twice, and none sends a block of a reduction twice.
tl::expected<Clauses, std::string> clauses_of(const ScheduleQuestion& question, Assumed assumed,
                                              const std::vector<TimedMove>& moves);

/// The script that is asked, which explains the names.
std::string script_of(const ScheduleQuestion& question, Assumed assumed, const Clauses& clauses);

/// The moves that a model of the question stands for, without those that reach no result.
std::vector<TimedMove> moves_of(const ScheduleQuestion& question, const Reply& model);

/// Makes the question's steps, ports and volume those of the moves.
void limit_to(const std::vector<TimedMove>& moves, ScheduleQuestion& question);

/// A right schedule over the question's links, with its ports, whatever its steps and volume: of each block, data goes
/// to the root of a tree, or from there to all, or both. An `unsatisfiable` is worth nothing if the clauses, limited to
/// this schedule, don't accept it. The ranks must all reach each other.
std::vector<TimedMove> known_moves(const ScheduleQuestion& question);

}  // namespace onceover::optimum
