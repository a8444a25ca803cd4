// The messages of a program as steps, for code that follows messages through networks.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "formats/program.h"
#include "schedules/schedule.h"
#include "verifier/counterexample.h"

namespace onceover::programs {

/// The *step* of a message is how many messages must have arrived, one after another, before it can be sent: the
/// longest path to it in happens-before, if FIFOs hold any number of messages. If the program was made from a schedule,
/// these are the schedule's steps, as far as each of these needs what came before it.
///
/// The schedule stands for amounts, not for data: a message of n blocks has the blocks 0 .. n-1. It reduces if its
/// receiver adds it up as it arrives. Messages from a rank to itself are left out, because they need no network.
struct MessageSteps {
  SchedulePtr schedule;

  /// The bytes of a block: the greatest common divisor of all messages, the largest of which has all blocks. 0 if the
  /// format has no bytes: then a block is a chunk, and the vector has all blocks.
  std::uint64_t block_bytes = 0;
};

/// The steps, or why there are none: the program never ends, or its messages are too large for their common divisor.
/// `shape` is the torus that its ranks form; empty: a line. O(events + edges).
tl::expected<MessageSteps, std::string> message_steps(const Program& program, std::vector<Rank> shape = {});

/// Where an operation is among the messages: those of lower steps may have arrived before it.
struct MessagePlace {
  int step;                                           // how many arrived before it, one after another
  std::optional<std::pair<Rank, Rank>> message = {};  // that it sends or receives in this step: from, to
};

/// The places of these operations, in their order; nothing for one that the program doesn't have, and for all if it
/// never ends. O(events + edges).
std::vector<std::optional<MessagePlace>> places_of(const Program& program,
                                                   const std::vector<Counterexample::Site>& sites);

}  // namespace onceover::programs
