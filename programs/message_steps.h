// The messages of a program as steps, for what follows messages through networks.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "formats/program.h"
#include "schedules/schedule.h"

namespace onceover::programs {

/// A message's *step* is how many messages must have arrived, one after another, before it can be sent: the longest way
/// to it in what happens before what, where FIFOs hold all. Of a program that was made from a schedule the steps are
/// the schedule's, as far as each of these needs what came before it.
///
/// The schedule stands for amounts, not for data: a message of n blocks has the blocks 0 .. n-1. It reduces if its
/// receiver adds it up as it comes in. What a rank sends to itself is left out, as it needs no network.
struct MessageSteps {
  SchedulePtr schedule;

  /// Bytes of a block: the greatest common divisor of all messages, the largest of which has all blocks. 0 where the
  /// format knows no bytes: then a block is a chunk, and the vector has all blocks.
  std::uint64_t block_bytes = 0;
};

/// Or why there are none: the program never ends, or its messages are too large for their common divisor. `shape` is
/// that of the torus that its ranks make; empty: a line.
/// O(events + edges).
tl::expected<MessageSteps, std::string> message_steps(const Program& program, std::vector<Rank> shape = {});

}  // namespace onceover::programs
