// One pass over the transfers as the ranks see them: sizes, and what is wrong on its face.
#pragma once

#include <cstdint>
#include <optional>

#include "verifier/counterexample.h"

namespace onceover::verifier {

/// The measures of a schedule that its transfers alone give. Blocks, not bytes.
struct Metrics {
  int steps = 0;
  std::uint64_t messages = 0;                    // transfers
  std::uint64_t block_transfers = 0;             // blocks in all messages
  std::uint64_t max_sends_per_rank_step = 0;     // messages that one rank sends in one step, at most
  std::uint64_t max_receives_per_rank_step = 0;  // messages that one rank receives in one step, at most
  std::uint64_t max_runs_per_message = 0;        // runs of neighbouring blocks in one message, at most
  std::uint64_t blocks_sent_min = 0;             // by the rank that sends least, over all steps
  std::uint64_t blocks_sent_max = 0;             // by the rank that sends most
  std::uint32_t term_depth = 0;  // sums on the longest way through a final value; filled by the execution

  friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// What no schedule of the collective can beat.
struct LowerBounds {
  double steps;                  // log2 p, with one message a rank and step
  std::optional<double> blocks;  // sent by the rank that sends most; known where each block meets every rank
};

LowerBounds lower_bounds(const Header& header);

struct Survey {
  Metrics metrics;
  std::uint64_t faults = 0;                   // transfers that name missing ranks or blocks, or stay on a rank
  std::optional<Counterexample> first_fault;  // the earliest of them
};

/// Looks at every transfer of every step, with `threads` threads. O(transfers * log runs), O(ranks) memory a thread.
Survey survey(const Schedule& schedule, int threads);

}  // namespace onceover::verifier
