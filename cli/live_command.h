// `verify live`: what this machine's MPI computes.
#pragma once

#include <string>
#include <vector>

#include "base/exit_code.h"

namespace onceover::cli {

/// The options, as the user gave them; most are passed on to verify-mpi.
struct LiveCommand {
  std::string mpi = {};      // openmpi, mpich; empty: the first that is there
  std::string ranks = {};    // --p
  std::string preload = {};  // a library that defines collectives
  std::string sweep = {};    // openmpi, mpich
  bool json = false;
  bool yes = false;                         // however many processes it takes
  std::vector<std::string> passed_on = {};  // flags and values, in words

  /// What verify-mpi is told.
  std::vector<std::string> words() const;
};

/// Finds verify-mpi and mpirun, and runs the one under the other for each p.
Result<ExitCode> run(const LiveCommand& command);

}  // namespace onceover::cli
