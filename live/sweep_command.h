// `verify-mpi --sweep`: not a rank, but what starts runs of ranks.
#pragma once

#include "cli/exit_code.h"

namespace onceover::live {

/// Does the command line ask for a sweep?
bool asks_for_sweep(int argc, char** argv);

/// Carries it out. Must be called without MPI_Init.
cli::Result<cli::ExitCode> run_sweep(int argc, char** argv);

}  // namespace onceover::live
