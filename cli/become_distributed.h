// `verify --distributed` goes on as another program, so that `verify` itself needs no MPI.
#pragma once

#include "base/exit_code.h"

namespace onceover::cli {

/// Replaces this program by verify-distributed with the same arguments; the program is looked for beside this one, then
/// on the PATH. Returns only if that can't be done.
Failure become_distributed(char** argv);

}  // namespace onceover::cli
