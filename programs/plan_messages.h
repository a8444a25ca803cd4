// The messages of an MSCCL++ plan as steps, for code that follows messages through networks.
#pragma once

#include "formats/plan.h"
#include "programs/message_steps.h"

namespace onceover::programs {

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
