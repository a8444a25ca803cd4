// Finds collectives that come from a library loaded before the MPI, not from the MPI itself.
#pragma once

#include <string>
#include <vector>

#include "live/live_call.h"

namespace onceover::live {

/// A function of MPI, and the file of the library that defines it instead of the MPI.
struct Interposed {
  std::string function;  // "MPI_Allreduce"
  std::string file;
};

/// The functions that the calls need and that another library defines than their profiling form, each once, as the
/// dynamic linker of this process resolves them.
std::vector<Interposed> interposed(const std::vector<LiveCall>& calls);

}  // namespace onceover::live
