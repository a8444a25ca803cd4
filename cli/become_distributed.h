// `verify --distributed` continues as another program, so that `verify` itself needs no MPI.
#pragma once

#include "base/exit_code.h"

namespace onceover::cli {

/// Replaces this program with verify-distributed, with the same arguments. It looks for that program beside this one,
/// then on the PATH. Returns only if that fails.
Failure become_distributed(char** argv);

}  // namespace onceover::cli
