// The block matrix of a small schedule: who holds whose contributions, step by step.
#pragma once

#include <string>

#include "schedules/schedule.h"

namespace onceover::cli {

/// A table with a line a rank and a column a step: for each block the contributors whose data the rank holds, "013", or
/// "-". For well-formed schedules of at most 10 ranks, whose ranks are digits.
std::string block_matrix(const Schedule& schedule);

}  // namespace onceover::cli
