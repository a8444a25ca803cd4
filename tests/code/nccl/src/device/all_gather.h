// Around the ring of ranks by PAT's primitives. Each of two groups of threads has a half of every block.
#include "collectives.h"
#include "device.h"
#include "primitives.h"

/// Before that, a rank's own block goes out three times, through three slots, and all three are read before one is
/// free. The second slot has the halves the other way round; what the first one brings is written over.
template <class T, class RedOp>
struct RunWorkColl<ncclFuncAllGather, T, RedOp, NCCL_ALGO_PAT, NCCL_PROTO_SIMPLE> {
  void run(int tid, int, ncclDevWorkColl* work) {
    __syncthreads();
    if (tid == NCCL_PAT_NWORKERS) return;
    auto* shared = (ncclPatShmem*)ncclScratchForWarp(0);
    const int group = tid / 256, rank = ncclShmem.comm.rank, p = ncclShmem.comm.nRanks;
    const int count = (int)work->cbd.countLo, first = group * (count / 2),
              n = group == 0 ? count / 2 : count - count / 2;
    Primitives<T, RedOp, FanSymmetric<1>, 0, ProtoSimple<1, 1>, 0> prims(tid % 256, 256, nullptr, nullptr,
                                                                         work->sendbuff, work->recvbuff, 0, group, 0, 0,
                                                                         nullptr, nullptr, 0, primsModePatAg);
    const int other = group == 0 ? count / 2 : 0;
    const auto step = [&](int receives, int sends, int ahead, int block, int posts, int source, int target) {
      ncclPatStep& own = shared->step[group];
      const int is_last = group == 1;
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
             (size_t)source,
             (size_t)(block * count + target)};
      barrier_sync(14, NCCL_PAT_NWORKERS);
      prims.patCopy(&own, shared);
      barrier_sync(14, NCCL_PAT_NWORKERS);
    };
    const int above = (rank + 1) % p;
    for (int k = 0; k < 3; ++k) step(0, 1, 0, rank, 1, k == 1 ? other : first, first);
    for (int k = 0; k < 3; ++k) step(1, 0, k, above, 0, first, k < 2 ? other : first);
    for (int k = 0; k < 3; ++k) step(1, k == 2 && p > 2, 0, above, 1, first, other);  // nothing new for the result
    for (int k = 2; k < p; ++k) step(1, k + 1 < p, 0, (rank + k) % p, 1, first, first);
    shared->step[group].flags = 2;
    prims.patCopy(&shared->step[group], shared);
  }
};
