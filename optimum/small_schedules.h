// Lower bounds over all schedules of a few ranks: is there any that does it with less?
#pragma once

#include <optional>

#include "proofs/query.h"
#include "schedules/types.h"

namespace onceover::optimum {

/// All schedules with these numbers of ranks and steps, in which a rank sends so many messages a step, and receives so
/// many; and in which rank 0 sends, or receives, so many blocks in all. What isn't given is without limit.
///
/// A schedule has one block, owned by rank 0; with a limit on blocks it has one block for each rank, owned by it.
struct SmallSchedules {
  Collective collective;  // reduce-scatter, allgather or allreduce
  int ranks;
  int steps;
  std::optional<int> ports = {};
  std::optional<int> blocks_sent = {};
  std::optional<int> blocks_received = {};
};

/// Asks Z3 whether one of them does the collective, as far as knowledge goes: of each block a rank knows what it heard
/// of, and who receives a block of a message learns all that the sender knows of it. Every schedule that does the
/// collective is one of these, whatever it combines, copies, or keeps in scratch. So `unsatisfiable` means: there is
/// none. The model has the blocks that are sent, "step 0: rank 1 sends block 2 to rank 3", each as "true".
/// O(steps * ranks^3) variables a block.
Reply ask_small(const SmallSchedules& schedules);

}  // namespace onceover::optimum
