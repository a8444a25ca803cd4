// What was found in an MSCCL++ plan, in words.
#pragma once

#include <string>
#include <vector>

#include "programs/plan_run.h"
#include "programs/program_faults.h"
#include "verifier/property.h"

namespace onceover::programs {

Counterexample::Site site_of(const ExecutionPlan& plan, const PlanSite& site);

/// "gpu 0, block 1, operation 4 (wait, line 12)", or "the start of call 2 on gpu 0".
std::string site_text(const ExecutionPlan& plan, const PlanSite& site);

/// A task in words, with the call if it isn't the first.
std::string task_text(const ExecutionPlan& plan, const PlanTask& task);

/// A fault of a plan: what is wrong, to which lines may be added, and where in memory.
Counterexample::Told told_unsafe(std::string headline, std::string slot = {});

/// An operation that can't be as it is, and why.
Counterexample fault_of(const ExecutionPlan& plan, const PlanStarved& fault);

/// A packet that is written twice in a call.
Counterexample clash_of(const ExecutionPlan& plan, const PlanMemory& memory, const PacketClash& clash);

/// Operations that wait for each other in a circle.
Counterexample circle_of(const ExecutionPlan& plan, const PlanGraph& graph, const std::vector<Edge>& circle);

/// Both sides of a race, what it is about, and what is missing.
Counterexample race_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanRace& race,
                       std::string_view headline);

/// A wrong result, and what should be there.
Counterexample result_of(const ExecutionPlan& plan, const PlanMemory& memory, const PlanWrongResult& wrong,
                         std::string_view headline);

/// Adds to the graph that each wait on a channel comes after all its signals, except those that come after the wait.
/// That is more than holds in any run, if it isn't fixed which wait takes which signal. O(waits * edges).
void add_any_matching(PlanGraph& graph);

/// Lines that name the wait by which one task of the race seems to come before the other, and say what is missing:
/// threads of a block that don't meet on the way, or a signal that comes too early. Empty if no wait seems to.
/// O(edges).
std::vector<std::string> seeming_order(const ExecutionPlan& plan, const PlanGraph& graph, const PlanRace& race);

}  // namespace onceover::programs
