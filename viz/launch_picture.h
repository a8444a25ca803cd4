// What happened in a launch of GPU kernels, as a picture.
#pragma once

#include <string>

#include "gpu/description_judge.h"
#include "viz/drawn.h"
#include "viz/program_view.h"

namespace onceover::viz {

/// Draws the first launch that fails, under the interleaving that failed; the first launch if none does. Ranks' streams
/// and blocks are rows, and time goes to the right, not to scale. Flags are arrows, from their writes to the reads that
/// saw them. The accesses that the first counterexample is about are marked and have their lines. Of a deadlock it
/// shows who waits, for which place in memory, at which line. Of `options.ranks` it shows only these. Cost: the
/// interleaving, once more.
Drawn<std::string> draw_launches(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report,
                                 const ProgramDrawOptions& options);

}  // namespace onceover::viz
