// Two-shot allreduce: each rank adds up its part of the inputs into its scratch, then reads all parts from there.
//
// The blocks of one number work on the same elements of each part, so only they need to meet.
#include "collective.cuh"

/// Announces `epoch` to the block of the same number on each rank, and waits until each has announced it here.
__device__ inline void meet(const Peers& peers, int rank, int ranks, int phase, uint32_t epoch) {
  if (!bug(1)) __syncthreads();
  if (threadIdx.x < ranks) {
    const int first = ((bug(8) ? 0 : phase) * gridDim.x + blockIdx.x) * ranks;
    uint32_t* theirs = peers.flags[threadIdx.x] + first + rank;
    const uint32_t* mine = peers.flags[rank] + first + threadIdx.x;
    if (bug(2))
      *theirs = epoch;
    else if (bug(7))
      *reinterpret_cast<volatile uint32_t*>(theirs) = epoch;
    else
      store_release(theirs, epoch);
    if (bug(9))
      while (load_acquire(mine) < epoch - 1) continue;
    else
      while (load_acquire(mine) != epoch) continue;
  }
  __syncthreads();
}

extern "C" __global__ void two_shot(Peers peers, float* out, int rank, int ranks, int n, uint32_t epoch) {
  const int part = bug(3) ? n / ranks : (n + ranks - 1) / ranks;
  const int begin = rank * part;
  const int end = smaller(begin + part, n);
  meet(peers, rank, ranks, 0, epoch);
  for (int i = begin + first_index(); i < end; i += stride()) {
    float sum = peers.data[0][i];
    for (int r = 1; r < ranks; ++r) sum += peers.data[r][i];
    peers.scratch[rank][i] = sum;
  }
  if (bug(5) && blockIdx.x == 1) return;
  meet(peers, rank, ranks, 1, epoch);
  for (int r = 0; r < ranks; ++r) {
    const int first = r * part;
    const int shift = bug(4) && r == ranks - 1 ? 1 : 0;
    const int start = bug(10) ? stride() - 1 - first_index() : first_index();
    for (int i = first + start; i < smaller(first + part, n); i += stride())
      out[i] = bug(6) ? __ldg(peers.scratch[r] + i) : peers.scratch[r][i + shift];
  }
}
