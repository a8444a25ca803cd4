// PlanInterpreter: runs small plans of MSCCL++ thread by thread, step by step, in many interleavings.
//
// It knows no order of events, only what each thread, proxy and GPU may do next. A block has as many threads as an
// operation has channels, and one more, which does the data; so a missing nop shows. A step is one unit that is read
// and written, one signal, one wait that can pass, one request of a channel carried out, or a GPU that begins or ends a
// call. It takes from the verifier only which cells an operation names (plan_memory.h).
#pragma once

#include <cstdint>
#include <random>

#include "formats/plan.h"
#include "namespaces.h"

namespace onceover::support {

/// What the interleavings that were tried did.
struct PlanRuns {
  std::uint64_t right = 0;
  std::uint64_t wrong = 0;  // a call of a GPU ended with a wrong output, or it was changed before the next one began
  std::uint64_t hung = 0;
  bool are_all = false;  // were all interleavings tried?
};

/// Tries all interleavings of `calls` calls, up to `most_states` different states, and as many random ones as `walks`.
/// Only collectives with a postcondition; chunks of `units` units. Barriers must fit their blocks.
PlanRuns interpret(const ExecutionPlan& plan, std::uint32_t units, std::int32_t calls, std::size_t most_states,
                   std::size_t walks, std::mt19937& random);

}  // namespace onceover::support
