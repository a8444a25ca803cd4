// `verify live --sweep` and `verify-mpi --sweep`: not a rank, but the process that starts runs of ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.h"
#include "schedules/types.h"

namespace onceover::live {

/// Does the command line ask for a sweep?
bool asks_for_sweep(const std::vector<std::string>& words);

/// Runs the sweep, for these numbers of ranks or those that the words name. Call it without MPI_Init.
Result<ExitCode> run_sweep(std::vector<std::string> words, const std::optional<std::vector<Rank>>& ranks = {});

}  // namespace onceover::live
