// The block matrix of a small schedule: which rank holds whose contributions, step by step.
#pragma once

#include <string>

#include "schedules/schedule.h"

namespace onceover::cli {

/// A table with a line for each rank and a column for each step. For each block it shows the contributors whose data
/// the rank holds, "013", or "-". For well-formed schedules of at most 10 ranks, so that a rank is a digit.
std::string block_matrix(const Schedule& schedule);

}  // namespace onceover::cli
