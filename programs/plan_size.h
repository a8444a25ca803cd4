// What is found in an MSCCL++ plan at one size of message, and repairs of its races.
#pragma once

#include <array>
#include <cstdint>
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

/// The finding on what isn't judged, and why.
Finding not_judged(std::string_view why);

/// The finding on what fails, with one of so many violations.
Finding failed(std::string summary, Counterexample counterexample, std::uint64_t violations = 1);

/// A finding, and the race by which it fails, if it is one.
struct Found : Finding {
  Found(Finding finding, std::optional<PlanRaceSeen> by = {}) : Finding(std::move(finding)), seen(std::move(by)) {}
  std::optional<PlanRaceSeen> seen;
};

inline Found passed(std::string_view summary) {
  return Finding{Verdict::pass, std::string(summary)};
}

/// What is found at one size.
struct PlanSizeFindings {
  Found deadlock = passed("every wait has its signals and packets, and none wait in a circle");
  Found race = passed("all accesses to a unit of memory, one of them a write, are ordered");
  Found preserved = passed("no operation writes to an input");
  Found exactly_once = passed("every unit of every output is what the collective promises");
  Found bits = passed("all ranks add in one order");
  Found repeatable = passed("later calls of the same size find everything as the first does");
  std::uint32_t term_depth = 0;

  std::array<Found*, 6> all() { return {&deadlock, &race, &preserved, &exactly_once, &bits, &repeatable}; }
};

/// In how many calls everything that can happen between calls has happened.
std::int32_t calls_to_judge(const ExecutionPlan& plan);

/// Judges one call, and then several in a row, if one is sound; a chunk has `units` of alignment. `is_balanced`: are
/// the counters used up? Otherwise later calls aren't judged. Time: that of `run_plan` for one call and for several.
PlanSizeFindings judge_size(const ExecutionPlan& plan, std::uint32_t units, bool is_balanced);

}  // namespace onceover::programs
