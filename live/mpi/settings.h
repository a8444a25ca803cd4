// What the MPI says about its own settings.
#pragma once

#include <string>

namespace onceover::live {

/// The algorithms that the library can be told to run, a line "VARIABLE NUMBER NAME" for each. They come from its
/// control variables (MPI 4.0, section 15.3) called ..algorithm that name their values. Call this without MPI_Init.
std::string settings_text();

}  // namespace onceover::live
