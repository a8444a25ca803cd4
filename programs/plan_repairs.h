// Repairs of races in MSCCL++ plans: one nop, where threads of a block run ahead of what orders the operations.
#pragma once

#include <functional>
#include <optional>

#include "programs/plan_run.h"
#include "programs/program_faults.h"
#include "verifier/verify.h"

namespace onceover::programs {

/// A race, with the size of a chunk and the number of calls at which it was found.
struct PlanRaceSeen {
  PlanRace race;
  std::uint32_t units;
  std::int32_t calls;
};

/// Judges a plan as the one with the race was judged.
using PlanJudgement = std::function<Report(const ExecutionPlan&)>;

/// A nop that orders the two tasks of the race in every run; nothing if there is none among those tried. They are all
/// places between the tasks if they are in one block and call, otherwise those in a block that lie between a task and
/// the meeting behind the first or before the second; at most 8 on each side.
///
/// A nop is only returned after `judge` has judged the plan with it. One with which the plan passes goes first. Time:
/// for each place, a graph of the calls and its clocks; if it orders the tasks, `judge`.
std::optional<NopRepair> repair_of(const ExecutionPlan& plan, const PlanRaceSeen& seen, const PlanJudgement& judge);

/// "needs a nop between operations 4 and 5 of block 0 on every GPU; the plan with them passes", for a place of those
/// that `repair_of` tries, where each GPU has the same operations; nothing if there is none. Time as there.
std::optional<std::string> repair_on_every_gpu(const ExecutionPlan& plan, const PlanRaceSeen& seen,
                                               const PlanJudgement& judge);

/// "needs a flush of port channel 0 at the end of gpu 0, block 0; the plan with it passes", if a transfer is what the
/// second task doesn't wait for; or one at the end of each block that puts on port channels; nothing if neither does.
std::optional<std::string> repair_by_flush(const ExecutionPlan& plan, const PlanRaceSeen& seen,
                                           const PlanJudgement& judge);

}  // namespace onceover::programs
