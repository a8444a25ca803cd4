// Ring allreduce with LL words: an element and the number of the call travel in one access of eight bytes, so a rank
// that sees the number has the element. Calls take turns between two halves of the staging.
#include "collective.cuh"

/// The element in the lower half, the flag in the upper.
__device__ inline void send(uint64_t* to, float value, uint32_t flag) {
  const uint64_t word = static_cast<uint64_t>(flag) << 32 | __float_as_uint(value);
  if (bug(2))
    asm volatile("st.relaxed.sys.global.u32 [%0], %1; st.relaxed.sys.global.u32 [%0+4], %2;" ::"l"(to),
                 "r"(__float_as_uint(value)), "r"(flag)
                 : "memory");
  else
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

__device__ inline float receive(const uint64_t* from, uint32_t flag) {
  uint64_t word;
  uint32_t seen;
  do {
    if (bug(2)) {
      uint32_t bits;
      asm volatile("ld.relaxed.sys.global.u32 %1, [%2+4]; ld.relaxed.sys.global.u32 %0, [%2];"
                   : "=r"(bits), "=r"(seen)
                   : "l"(from)
                   : "memory");
      word = bits;
    } else {
      asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
      seen = static_cast<uint32_t>(word >> 32);
    }
  } while (bug(3) ? seen == 0 : seen != flag);
  return __uint_as_float(static_cast<uint32_t>(word));
}

/// n is a multiple of the ranks. The staging of a rank has 4 * ranks * (n / ranks) words.
extern "C" __global__ void ring_ll(Peers peers, float* out, int rank, int ranks, int n, uint32_t epoch) {
  const int part = n / ranks;
  const int half = (epoch & 1) * 2 * ranks * part;
  const uint32_t flag = bug(1) ? 1 : bug(6) ? (epoch & 1) + 1 : epoch;
  const int next = bug(7) ? (rank + ranks - 1) % ranks : (rank + 1) % ranks;
  const uint64_t* mine = reinterpret_cast<const uint64_t*>(peers.scratch[rank]) + half;
  uint64_t* theirs = reinterpret_cast<uint64_t*>(peers.scratch[next]) + half;
  for (int i = first_index(); i < part; i += stride()) {
    int block = rank;
    float value = peers.data[rank][block * part + i];
    for (int step = 0; step < ranks - 1; ++step) {
      send(theirs + step * part + i, value, flag);
      block = (block + ranks - 1) % ranks;
      value = receive(mine + step * part + i, flag) + peers.data[rank][block * part + i];
    }
    out[block * part + i] = value;
    for (int step = 0; step < ranks - 1; ++step) {
      const int slot = bug(4) ? step : ranks + step;
      send(theirs + slot * part + i, value, flag);
      block = (block + ranks - 1) % ranks;
      value = receive(mine + slot * part + i, flag);
      out[(bug(5) ? (block + 1) % ranks : block) * part + i] = value;
    }
  }
}
