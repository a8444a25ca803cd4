// How many blocks and threads of a launch may run at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/launch/launch.h"

namespace onceover::gpu {

/// The numbers of the streams that kernels of a rank run in, in order.
std::vector<int> streams_of(const Launch& launch, Rank rank);

/// Of the largest grid of a rank's stream.
std::uint32_t most_blocks(const Launch& launch, Rank rank, int stream);

/// Of the largest block of all, in whole warps.
std::uint32_t threads_of_seat(const Launch& launch);

}  // namespace onceover::gpu
