#include "gpu/launch/launch.h"

#include <algorithm>
#include <set>

namespace onceover::gpu {

std::vector<int> streams_of(const Launch& launch, Rank rank) {
  std::set<int> streams;
  for (const Call& call : launch.calls)
    for (const KernelRun& kernel : call.ranks[static_cast<std::size_t>(rank)].kernels) streams.insert(kernel.stream);
  return {streams.begin(), streams.end()};
}

std::uint32_t most_blocks(const Launch& launch, Rank rank, int stream) {
  std::uint64_t most = 0;
  for (const Call& call : launch.calls)
    for (const KernelRun& kernel : call.ranks[static_cast<std::size_t>(rank)].kernels)
      if (kernel.stream == stream) most = std::max(most, kernel.grid.count());
  return static_cast<std::uint32_t>(most);
}

std::uint32_t threads_of_seat(const Launch& launch) {
  std::uint64_t most = 1;
  for (const Call& call : launch.calls)
    for (const RankCall& rank : call.ranks)
      for (const KernelRun& kernel : rank.kernels) most = std::max(most, kernel.block.count());
  return static_cast<std::uint32_t>((most + 31) / 32 * 32);
}

}  // namespace onceover::gpu
