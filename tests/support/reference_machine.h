// A slow and obvious machine for small MSCCL programs: GPUs whose thread blocks have threads that meet at barriers, as
// the runtimes' sources have them. Shares no code with the verifier, nor the verifier's idea of what is ordered.
#pragma once

#include "formats/program.h"
#include "namespaces.h"

namespace onceover::support::reference {

/// Do two accesses to a chunk race, one of them a write: can each be carried out while the other is held back? The
/// program's runtime says by its names how it is run. FIFOs hold all; the program must end, and all slots be there.
bool has_race(const Program& program);

}  // namespace onceover::support::reference
