// What the MPI tells of its own settings.
#pragma once

#include <string>

namespace onceover::live {

/// The algorithms that the library can be told to run, "VARIABLE NUMBER NAME", a line each: those of its control
/// variables (MPI 4.0, section 15.3) called ..algorithm that name their values. Must be called without MPI_Init.
std::string settings_text();

}  // namespace onceover::live
