// One-shot allreduce by packets: each rank sends its input to all ranks, two elements and two flags in an access of
// sixteen bytes. Calls take turns between two halves of the staging.
//
// It relies on sixteen bytes being written and read as a whole, which PTX does not promise: the launch grants it.
#include "collective.cuh"

struct alignas(16) Packet {
  uint32_t first;
  uint32_t first_flag;
  uint32_t second;
  uint32_t second_flag;
};

__device__ inline void send(Packet* to, uint32_t first, uint32_t second, uint32_t flag) {
  if (bug(1))
    asm volatile(
        "st.relaxed.sys.global.v2.u32 [%0], {%1, %3}; st.relaxed.sys.global.v2.u32 [%0+8], {%2, %3};" ::"l"(to),
        "r"(first), "r"(second), "r"(flag)
        : "memory");
  else
    asm volatile("st.relaxed.sys.global.v4.u32 [%0], {%1, %3, %2, %3};" ::"l"(to), "r"(first), "r"(second), "r"(flag)
                 : "memory");
}

__device__ inline Packet receive(const Packet* from, uint32_t flag) {
  Packet p;
  do {
    asm volatile("ld.relaxed.sys.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(p.first), "=r"(p.first_flag), "=r"(p.second), "=r"(p.second_flag)
                 : "l"(from)
                 : "memory");
  } while (bug(2) ? p.first_flag == 0 : p.first_flag != flag || (!bug(1) && p.second_flag != flag));
  return p;
}

/// n is even. The staging of a rank has ranks * n / 2 packets in each half.
extern "C" __global__ void packets(Peers peers, float* out, int rank, int ranks, int n, uint32_t epoch) {
  const int pairs = n / 2;
  const int half = bug(3) ? 0 : (epoch & 1) * ranks * pairs;
  const uint32_t* in = reinterpret_cast<const uint32_t*>(peers.data[rank]);
  for (int i = first_index(); i < pairs; i += stride()) {
    for (int k = 0; k < ranks; ++k) {
      Packet* staging = reinterpret_cast<Packet*>(peers.scratch[k]) + half;
      send(staging + (bug(4) ? 0 : rank) * pairs + i, in[2 * i], in[2 * i + 1], epoch);
    }
    const Packet* staging = reinterpret_cast<const Packet*>(peers.scratch[rank]) + half;
    float first = 0;
    float second = 0;
    for (int k = 0; k < ranks; ++k) {
      const int from = bug(5) ? (rank + k) % ranks : bug(4) ? 0 : k;
      const Packet p = receive(staging + from * pairs + i, epoch);
      first = k == 0 ? __uint_as_float(p.first) : first + __uint_as_float(p.first);
      second = k == 0 ? __uint_as_float(p.second) : second + __uint_as_float(bug(6) ? p.first : p.second);
    }
    out[2 * i] = first;
    out[2 * i + 1] = second;
  }
}
