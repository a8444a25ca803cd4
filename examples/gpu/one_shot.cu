// One-shot allreduce: each rank reads all inputs and adds them up in the order of the ranks.
//
// Two barriers among the blocks of one number on all ranks: the first waits until inputs are there, the last until
// nobody reads this rank's input any more. A flag holds the number of the last call in which its writer came there.
#include "collective.cuh"

/// Announces `epoch` to the block of the same number on each rank, and waits until each has announced it here.
template <int P>
__device__ inline void meet(const Peers& peers, int rank, int phase, uint32_t epoch) {
  if (threadIdx.x >= P) return;
  const int peer = threadIdx.x;
  const int first = (phase * gridDim.x + blockIdx.x) * P;
  uint32_t* theirs = peers.flags[peer] + first + rank;
  uint32_t* mine = peers.flags[rank] + first + peer;
  if (bug(2))
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(theirs), "r"(epoch) : "memory");
  else if (bug(8))
    store_relaxed(theirs, epoch);
  else if (bug(9))
    *reinterpret_cast<volatile uint32_t*>(theirs) = epoch;
  else
    store_release(theirs, epoch);
  if (bug(1))
    while (load_relaxed(mine) != epoch) continue;
  else if (bug(9))
    while (*reinterpret_cast<volatile uint32_t*>(mine) != epoch) continue;
  else
    while (load_acquire(mine) != epoch) continue;
}

template <int P>
__device__ inline void one_shot(const Peers& peers, float* out, int rank, int n, uint32_t epoch) {
  if (bug(3) || bug(11)) epoch = 1;
  if (bug(11) && threadIdx.x < P) store_relaxed(peers.flags[rank] + (gridDim.x + blockIdx.x) * P + threadIdx.x, 0);
  meet<P>(peers, rank, 0, epoch);
  if (!bug(7)) __syncthreads();
  for (int i = first_index(); i < n; i += stride()) {
    const int first = bug(5) ? rank : 0;
    float sum = peers.data[first][i];
    for (int k = bug(6) ? 0 : 1; k < P; ++k) sum += peers.data[(first + k) % P][i];
    out[bug(10) ? i + 1 : i] = sum;
  }
  if (bug(4)) return;
  if (!bug(12)) __syncthreads();
  meet<P>(peers, rank, 1, epoch);
  if (bug(11) && threadIdx.x < P) store_relaxed(peers.flags[rank] + blockIdx.x * P + threadIdx.x, 0);
}

#define ONE_SHOT(P)                                                                                   \
  extern "C" __global__ void one_shot_##P(Peers peers, float* out, int rank, int n, uint32_t epoch) { \
    one_shot<P>(peers, out, rank, n, epoch);                                                          \
  }
ONE_SHOT(2)
ONE_SHOT(3)
ONE_SHOT(4)
ONE_SHOT(8)
