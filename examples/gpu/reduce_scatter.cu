// Reduce-scatter: each rank adds up its part of all inputs, four elements at a time.
//
// The flags are relaxed, with fences around them. Whom a rank knows is in tables in device memory.
#include "collective.cuh"

__device__ inline void announce(uint32_t* flag, uint32_t epoch) {
  if (bug(2))
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
  else if (!bug(1))
    fence_system();
  store_relaxed(flag, epoch);
}

__device__ inline void await(const uint32_t* flag, uint32_t epoch) {
  if (bug(3)) {
    if (load_relaxed(flag) != epoch) fence_system();
  } else {
    while (load_relaxed(flag) != epoch) continue;
  }
  if (!bug(4)) fence_system();
}

__device__ inline void meet(uint32_t* const* flags, int rank, int ranks, int phase, uint32_t epoch) {
  __syncthreads();
  if (threadIdx.x < ranks) {
    const int first = (phase * gridDim.x + blockIdx.x) * ranks;
    announce(flags[threadIdx.x] + first + rank, epoch);
    await(flags[rank] + first + threadIdx.x, epoch);
  }
  __syncthreads();
}

/// `part` elements for each rank, a multiple of four.
extern "C" __global__ void reduce_scatter(const float* const* data, uint32_t* const* flags, float* out, int rank,
                                          int ranks, int part, uint32_t epoch) {
  meet(flags, rank, ranks, 0, epoch);
  const int begin = (bug(5) ? (rank + 1) % ranks : rank) * part + (bug(6) ? 2 : 0);
  for (int i = first_index(); i < part / 4; i += stride()) {
    Four sum = reinterpret_cast<const Four*>(data[0] + begin)[i];
    for (int r = 1; r < (bug(7) ? ranks - 1 : ranks); ++r) add(sum, reinterpret_cast<const Four*>(data[r] + begin)[i]);
    reinterpret_cast<Four*>(out)[i] = sum;
  }
  if (!bug(8)) meet(flags, rank, ranks, 1, epoch);
}
