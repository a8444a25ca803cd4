// One-shot allreduce by Lamport's protocol: an empty cell holds -0.0, which no rank sends, so an element is its own
// flag.
//
// Three stagings take turns. A call fills and reads one of them, and empties the one of the call before, which is used
// again two calls later: by then each rank has heard from each that it came to the call between.
//
// That hearing is by relaxed accesses, in another kernel of the same stream. PTX orders nothing by it; GPUs do where a
// kernel begins and ends, which the launch grants.
#include "collective.cuh"

constexpr uint32_t empty = 0x80000000;

__device__ inline uint32_t sent(float value) {
  const uint32_t bits = __float_as_uint(value);
  return bits == empty ? 0 : bits;
}

/// A staging of a rank has ranks * n cells. All hold -0.0 before the first call.
extern "C" __global__ void lamport(Peers peers, const float* in, float* out, int rank, int ranks, int n,
                                   uint32_t epoch) {
  const int cells = ranks * n;
  const uint32_t stagings = bug(3) ? 2 : 3;
  const int now = static_cast<int>(epoch % stagings) * cells;
  const int before = static_cast<int>((bug(2) ? epoch : epoch + stagings - 1) % stagings) * cells;
  uint32_t* mine = reinterpret_cast<uint32_t*>(peers.scratch[rank]);
  for (int i = first_index(); i < n; i += stride()) {
    const uint32_t bits = sent(in[i]);
    for (int k = 0; k < ranks; ++k)
      store_relaxed(reinterpret_cast<uint32_t*>(peers.scratch[k]) + now + (bug(4) ? k : rank) * n + i, bits);
    if (!bug(1))
      for (int k = 0; k < ranks; ++k) store_relaxed(mine + before + k * n + i, empty);
    float sum = 0;
    for (int k = 0; k < ranks; ++k) {
      const int from = bug(5) ? (rank + k) % ranks : k;
      uint32_t seen;
      do {
        seen = load_relaxed(mine + now + from * n + i);
      } while (seen == empty);
      sum = k == 0 ? __uint_as_float(seen) : sum + __uint_as_float(seen);
    }
    out[i] = sum;
  }
}
