// Broadcast: the root writes its input into the outputs of all ranks. Only the root's grid is large.
#include "collective.cuh"

/// peers.data are the outputs. Rank r's block 0 tells the root that its output may be written; the root's blocks each
/// tell rank r that they have written their part.
extern "C" __global__ void broadcast(Peers peers, const float* in, int rank, int ranks, int root, int blocks, int n,
                                     uint32_t epoch) {
  uint32_t* ready = peers.flags[root] + most_ranks;  // by rank
  if (rank != root) {
    if (threadIdx.x == 0) store_release(ready + rank, epoch);
    const int awaited = bug(2) ? blocks - 1 : blocks;
    if (threadIdx.x < awaited)
      while (load_acquire(peers.flags[rank] + 2 * most_ranks + threadIdx.x) != epoch) continue;
    __syncthreads();
    return;
  }
  if (threadIdx.x < ranks && threadIdx.x != root && !bug(1))
    while (load_acquire(ready + threadIdx.x) != epoch) continue;
  __syncthreads();
  for (int i = first_index(); i < n; i += stride())
    for (int r = 0; r < (bug(3) ? ranks - 1 : ranks); ++r) peers.data[r][i] = in[i];
  if (!bug(4)) __syncthreads();
  if (threadIdx.x < ranks) store_release(peers.flags[threadIdx.x] + 2 * most_ranks + blockIdx.x, epoch);
}
