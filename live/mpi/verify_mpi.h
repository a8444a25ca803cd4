// What a rank of `verify-mpi` does, under an MPI or in a simulator.
#pragma once

#include "base/result.h"

namespace onceover::live {

/// Makes the calls that the command line asks for, between MPI_Init and MPI_Finalize. Rank 0 prints the report.
ExitCode run_rank(int argc, char** argv, bool simulated = false);

}  // namespace onceover::live
