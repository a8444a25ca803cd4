// Around the ring of ranks by PAT's primitives. Each of two groups of threads has a half of every block.
#include "collectives.h"
#include "device.h"
#include "primitives.h"

/// What is sent is put together in the slot: a rank's own block first, and then what came. Three slots are needed.
template <class T, class RedOp>
struct RunWorkColl<ncclFuncReduceScatter, T, RedOp, NCCL_ALGO_PAT, NCCL_PROTO_SIMPLE> {
  void run(int tid, int, ncclDevWorkColl* work) {
    __syncthreads();
    if (tid == NCCL_PAT_NWORKERS) return;
    auto* shared = (ncclPatShmem*)ncclScratchForWarp(0);
    const int group = tid / 256, rank = ncclShmem.comm.rank, p = ncclShmem.comm.nRanks;
    const int count = (int)work->cbd.countLo, first = group * (count / 2),
              n = group == 0 ? count / 2 : count - count / 2;
    Primitives<T, RedOp, FanSymmetric<1>, 0, ProtoSimple<1, 1>, 0> prims(tid % 256, 256, nullptr, nullptr,
                                                                         work->sendbuff, work->recvbuff, 0, group, 0, 0,
                                                                         nullptr, nullptr, 0, primsModePatRs);
    const auto step = [&](int receives, int sends, int ahead, int block, int posts) {
      ncclPatStep& own = shared->step[group];
      const int is_last = group == 1;
      // What is in the slot already isn't taken from the input again.
      const int from = ((receives && sends ? block + 1 : block) % p + p) % p;
      own = {receives ? 0 : -1,
             sends ? 0 : -1,
             first,
             first,
             ahead,
             receives && posts && is_last,
             sends && posts && is_last,
             n,
             0,
             1,
             (size_t)(from * count + first),
             (size_t)first};
      barrier_sync(14, NCCL_PAT_NWORKERS);
      prims.patReduce(&own, shared);
      barrier_sync(14, NCCL_PAT_NWORKERS);
    };
    const auto post = [&](int elements) {
      shared->step[group] = {-1, 0, -1, elements, 0, 0, group == 1, 0, 0, 1, 0, 0};
      barrier_sync(14, NCCL_PAT_NWORKERS);
      prims.patReduce(&shared->step[group], shared);
      barrier_sync(14, NCCL_PAT_NWORKERS);
    };
    step(0, 1, 0, rank - 1, 0);
    if (p > 2) step(0, 1, 1, rank - 2, 0);
    post(count);
    for (int k = 2; k < p; ++k) {
      if (k + 1 < p) step(0, 1, 1, rank - k - 1, 0);
      step(1, 1, 0, rank - k, 1);
    }
    step(1, 0, 0, rank, 1);
    shared->step[group].flags = 2;
    prims.patReduce(&shared->step[group], shared);
  }
};
