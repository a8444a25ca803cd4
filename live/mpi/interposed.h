// Which collectives are not the MPI's own, but those of a library that was loaded before it.
#pragma once

#include <string>
#include <vector>

#include "live/live_call.h"

namespace onceover::live {

/// A function of MPI, and the file of the library that defines it in the MPI's place.
struct Interposed {
  std::string function;  // "MPI_Allreduce"
  std::string file;
};

/// Of the functions that the calls need, those that another library defines than their profiling form, each once; as
/// the dynamic linker of this process sees it.
std::vector<Interposed> interposed(const std::vector<LiveCall>& calls);

}  // namespace onceover::live
