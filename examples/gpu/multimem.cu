// Allreduce by multicast: each rank reads the sum of its part over all ranks by one access to a multicast address, and
// writes it to all ranks by another. In place.
//
// Needs sm_90.
#include "collective.cuh"

__device__ inline float load_sum(const float* multicast) {
  float sum;
  asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];" : "=f"(sum) : "l"(multicast) : "memory");
  return sum;
}

__device__ inline void store_all(float* multicast, float value) {
  asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(multicast), "f"(value) : "memory");
}

/// Adds one to the counter of this block on all ranks at once, and waits until all have done so `times` times.
__device__ inline void meet(uint32_t* multicast, const uint32_t* mine, int times) {
  if (!bug(1)) __syncthreads();
  if (threadIdx.x == 0) {
    if (bug(2))
      asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(multicast + blockIdx.x) : "memory");
    else
      asm volatile("multimem.red.release.sys.global.add.u32 [%0], 1;" ::"l"(multicast + blockIdx.x) : "memory");
    while (load_acquire(mine + blockIdx.x) < times) continue;
  }
  __syncthreads();
}

/// `data` and `counters` are multicast addresses; `mine` are this rank's counters, zero before the first call.
extern "C" __global__ void multimem(float* data, uint32_t* counters, const uint32_t* mine, int rank, int ranks, int n,
                                    int call) {
  const int part = (n + ranks - 1) / ranks;
  const int begin = (bug(5) ? 0 : rank) * part;
  const int end = smaller(begin + part, n);
  if (!bug(3)) meet(counters, mine, ranks * (2 * call + 1));
  for (int i = begin + first_index(); i < end; i += stride()) store_all(data + i, load_sum(data + i));
  if (!bug(4)) meet(counters, mine, bug(3) ? ranks * (call + 1) : ranks * (2 * call + 2));
}
