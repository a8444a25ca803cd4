// Survey: one pass over the transfers by step, which measures sizes and finds obvious faults.
#pragma once

#include <cstdint>
#include <optional>

#include "schedules/schedule.h"
#include "verifier/counterexample.h"

namespace onceover::verifier {

/// The measures that follow from a schedule's transfers alone. Sizes are in blocks, not bytes.
struct Metrics {
  int steps = 0;                              // without local ones
  int local_steps = 0;                        // in which values move between blocks of a rank, and no message is sent
  std::uint64_t messages = 0;                 // transfers between different ranks
  std::uint64_t block_transfers = 0;          // blocks in all messages
  std::uint64_t max_sends_per_rank_step = 0;  // most messages that one rank sends in one step
  std::uint64_t max_receives_per_rank_step = 0;  // most messages that one rank receives in one step
  std::uint64_t max_runs_per_message = 0;        // most runs of neighbouring blocks in one message
  std::uint64_t blocks_sent_min = 0;             // by the rank that sends the fewest, over all steps
  std::uint64_t blocks_sent_max = 0;             // by the rank that sends the most
  std::uint32_t term_depth = 0;  // most sums on a path through a final value; filled in by the execution

  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// Lower bounds that hold for every schedule of the collective.
struct LowerBounds {
  double steps;                  // log2 p, with one message a rank and step
  std::optional<double> blocks;  // sent by the rank that sends the most; known if each block meets every rank
};

LowerBounds lower_bounds(const Header& header);

struct Survey {
  Metrics metrics;
  std::uint64_t moves = 0;   // of values into blocks, also on one rank: what executing the schedule takes
  std::uint64_t faults = 0;  // transfers that name ranks or blocks that don't exist, or from a rank's block to itself
  std::optional<Counterexample> first_fault;  // the earliest of these faults
};

/// Looks at every transfer of every step, on `threads` threads; in steps made of even patterns, at the
/// patterns instead. O(transfers * log runs), or O(patterns); O(ranks) memory for each thread.
Survey survey(const Schedule& schedule, int threads);

/// Are there so many ranks or blocks, and so few messages, that executing the schedule would take memory and time out
/// of all proportion to it? Most ranks then neither send nor receive. O(messages).
bool is_mostly_idle(const Schedule& schedule);

/// A contribution that doesn't arrive, since its rank neither sends nor receives. Nothing if there is none in the first
/// blocks. O(messages + ranks); memory: a bit for each rank.
std::optional<Counterexample> lost_by_idle_rank(const Schedule& schedule);

}  // namespace onceover::verifier
