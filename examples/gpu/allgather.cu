// Allgather: each rank writes its input into the outputs of all ranks.
//
// A signal is set by a compare-and-swap from 0 to 1 and taken by one from 1 to 0, so calls need no numbers.
#include "collective.cuh"

__device__ inline bool swap_release(uint32_t* signal, uint32_t from, uint32_t to) {
  uint32_t old;
  asm volatile("atom.release.sys.global.cas.b32 %0, [%1], %2, %3;"
               : "=r"(old)
               : "l"(signal), "r"(from), "r"(to)
               : "memory");
  return old == from;
}

__device__ inline bool swap_acquire(uint32_t* signal, uint32_t from, uint32_t to) {
  uint32_t old;
  if (bug(1))
    asm volatile("atom.relaxed.sys.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(signal), "r"(from), "r"(to)
                 : "memory");
  else
    asm volatile("atom.acquire.sys.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(signal), "r"(from), "r"(to)
                 : "memory");
  return old == from;
}

__device__ inline void meet(const Peers& peers, int rank, int ranks, int phase) {
  if (!bug(4)) __syncthreads();
  if (threadIdx.x < ranks && !(bug(5) && threadIdx.x == 0)) {
    const int first = (phase * gridDim.x + blockIdx.x) * ranks;
    while (!swap_release(peers.flags[threadIdx.x] + first + rank, 0, 1)) continue;
    while (!swap_acquire(peers.flags[rank] + first + threadIdx.x, bug(6) ? 0 : 1, 0)) continue;
  }
  __syncthreads();
}

/// peers.data are the outputs.
extern "C" __global__ void allgather(Peers peers, const float* in, int rank, int ranks, int n) {
  if (!bug(2)) meet(peers, rank, ranks, 0);
  for (int i = first_index(); i < n; i += stride())
    for (int k = 0; k < ranks; ++k) {
      const int peer = (rank + k) % ranks;
      peers.data[peer][(bug(3) ? peer : rank) * n + i] = in[i];
    }
  if (!bug(7)) meet(peers, rank, ranks, 1);
}
