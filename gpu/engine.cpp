#include "gpu/engine.h"

#include "gpu/machine/machine.h"

namespace onceover::gpu {

GpuOutcome run(const Launch& launch, const RunOptions& options) {
  return GpuMachine(launch, options).run();
}

}  // namespace onceover::gpu
