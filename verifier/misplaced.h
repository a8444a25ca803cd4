// Results that are whole, but in the wrong place: of another block, or on another rank than the owner.
#pragma once

#include <optional>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/counterexample.h"

namespace onceover::verifier {

/// If the rank that lacks a contribution ends with the whole of another block instead, says that of the counterexample,
/// and how all blocks changed places. Nothing is changed where it doesn't, or where the schedule is large.
void tell_misplaced(const Schedule& schedule, Counterexample& counterexample);

/// Owners of the blocks with which the schedule, which fails, would be well-formed and exactly once; empty if there are
/// none, or if the schedule is large.
std::vector<Rank> owners_that_pass(const Schedule& schedule);

}  // namespace onceover::verifier
