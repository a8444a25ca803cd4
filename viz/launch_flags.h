// LaunchFlags: a launch of GPU kernels as messages, for the player: each is a flag that a block or a stream wrote and
// another one saw.
#pragma once

#include "gpu/description_judge.h"
#include "viz/player.h"

namespace onceover::viz {

/// The *step* of a flag is how many others must have been seen before it was written, one after another. A message of n
/// blocks stands for n flags.
struct LaunchFlags {
  SchedulePtr schedule;                                                // its ranks are the rows
  std::vector<RowName> rows;                                           // streams and blocks of ranks
  std::map<std::string, std::vector<PlacedSite>, std::less<>> faults;  // the accesses and waits of what fails
  Rank ranks;
  std::int64_t size;  // n; 0: it has none
  bool is_whole;      // false: the run is longer than what was recorded
};

/// Those of the first launch that fails, under the interleaving that failed; of the first launch if none does. Refuses
/// a failure that can't be run again. Cost: the interleaving, once more.
Drawn<LaunchFlags> launch_flags(const gpu::LoadedDescription& loaded, const gpu::GpuReport& report);

}  // namespace onceover::viz
