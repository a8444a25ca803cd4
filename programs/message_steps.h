// The messages of a program or plan as steps, for code that follows messages through networks.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "formats/plan.h"
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

/// Why a plan has no steps.
struct NoPlanSteps {
  bool never_ends;  // false: they aren't known
  std::string why;
};

/// As for programs in message_steps.h: the *step* of a message is how many messages must have arrived before it, one
/// after another. One has arrived if a wait or packet of another GPU says so, or, if it was read from a peer, when it
/// is there. It goes from the GPU that has the data to the one that gets it, so a `get` sends from its source. In a
/// step, all that goes from one GPU to another is one message, unless that is more than the vector. Flags of packets
/// don't count. A block of the schedule is a chunk, or an equal part of it if blocks share operations.
///
/// The steps, or why there are none: the plan may never end, isn't judged, is too large, or moves data through a
/// switch. O(operations^2) in the worst case, as plan_graph.h says.
tl::expected<MessageSteps, NoPlanSteps> message_steps(const ExecutionPlan& plan, std::vector<Rank> shape = {});

/// As for programs: the places of operations that move data. One that moves it to several GPUs has the first of these.
std::vector<std::optional<MessagePlace>> places_of(const ExecutionPlan& plan,
                                                   const std::vector<Counterexample::Site>& sites);

}  // namespace onceover::programs
