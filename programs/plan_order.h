// Why a wait that seems to order two operations of an MSCCL++ plan doesn't.
#pragma once

#include <string>
#include <vector>

#include "programs/plan_run.h"

namespace onceover::programs {

/// Adds to the graph that each wait on a channel comes after all its signals, except those that come after the wait.
/// That is more than holds in any run, if it isn't fixed which wait takes which signal. O(waits * edges).
void add_any_matching(PlanGraph& graph);

/// Lines that name the wait by which one task of the race seems to come before the other, and say what is missing:
/// threads of a block that don't meet on the way, or a signal that comes too early. Empty if no wait seems to.
/// O(edges).
std::vector<std::string> seeming_order(const ExecutionPlan& plan, const PlanGraph& graph, const PlanRace& race);

}  // namespace onceover::programs
