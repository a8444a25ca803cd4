// Processor time, for tests that bound what something takes: a busy machine hardly changes it.
#pragma once

#include <ctime>

namespace onceover::support {

/// Seconds of processor time that the program has used so far, in all its threads.
inline double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace onceover::support
