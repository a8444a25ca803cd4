// Folding with steps removed from its distribution: the theorem, and its function for a run.
#pragma once

#include "proofs/routes/functions.h"
#include "proofs/routes/kernel.h"

namespace onceover::proofs {

inline constexpr KernelTheorem removed_steps_needed{
    "removed_steps_needed", "RemovedScratch.v",
    "over any product of cyclic groups, and with any number of steps removed from its distribution, folding makes an "
    "allreduce that is exactly once, with scratch for copies of the blocks where ranks keep two sums of some",
    "forall extents removed, Forall (fun n => 0 < n) extents ->\n"
    "  exactly_once_in_cells Allreduce (extent extents) (extent extents) (scratch_of extents removed)\n"
    "    (removed_steps extents removed)"};

/// RemovedOnce.v: removed_steps. O(sum of extents) memory.
RoutedSchedule removed_steps_schedule(const Sides& extents, int removed);

}  // namespace onceover::proofs
