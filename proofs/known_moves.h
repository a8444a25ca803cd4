// A right schedule that is always there, for controls of a solver's answers.
#pragma once

#include <vector>

#include "proofs/schedule_question.h"

namespace onceover::proofs {

/// Makes the question's steps, ports and volume those of the moves.
void limit_to(const std::vector<TimedMove>& moves, ScheduleQuestion& question);

/// A right schedule over the question's links, with its ports, whatever its steps and volume: of each block, data goes
/// to the root of a tree, or from there to all, or both. An `unsatisfiable` is worth nothing if the clauses, limited to
/// this schedule, don't accept it. The ranks must all reach each other.
std::vector<TimedMove> known_moves(const ScheduleQuestion& question);

}  // namespace onceover::proofs
