// Around the ring of ranks by PAT's primitives. Each of two groups of threads has a half of every block.
#include "collectives.h"
#include "device.h"
#include "primitives.h"

/// Before that, a rank's own block goes out three times, through three slots, and is read in the other order.
template <class T, class RedOp>
struct RunWorkColl<ncclFuncAllGather, T, RedOp, NCCL_ALGO_PAT, NCCL_PROTO_SIMPLE> {
  void run(int tid, int, ncclDevWorkColl* work) {
    __syncthreads();
    if (tid == NCCL_PAT_NWORKERS) return;
    auto* shared = (ncclPatShmem*)ncclScratchForWarp(0);
    const int group = tid / 256, rank = ncclShmem.comm.rank, p = ncclShmem.comm.nRanks;
    const int count = (int)work->cbd.countLo, first = group * (count / 2), n = group == 0 ? count / 2 : count - count / 2;
    Primitives<T, RedOp, FanSymmetric<1>, 0, ProtoSimple<1, 1>, 0> prims(tid % 256, 256, nullptr, nullptr, work->sendbuff,
                                                                         work->recvbuff, 0, group, 0, 0, nullptr, nullptr,
                                                                         0, primsModePatAg);
    const auto step = [&](int receives, int sends, int ahead, int block, int posts) {
      ncclPatStep& own = shared->step[group];
      const int is_last = group == 1;
      own = {receives ? 0 : -1, sends ? 0 : -1, first, first, ahead, receives && posts && is_last,
             sends && posts && is_last, n, 0, 1, (size_t)first, (size_t)(block * count + first)};
      barrier_sync(14, NCCL_PAT_NWORKERS);
      prims.patCopy(&own, shared);
      barrier_sync(14, NCCL_PAT_NWORKERS);
    };
    for (int k = 0; k < 3; ++k) step(0, 1, 0, rank, 1);
    for (int k = 2; k >= 0; --k) step(1, 0, k, (rank + 1) % p, 0);
    for (int k = 0; k < 3; ++k) step(1, 0, 0, (rank + 1) % p, 1);
    step(0, 1, 0, rank, 1);
    for (int k = 1; k < p - 1; ++k) step(1, 1, 0, (rank + k) % p, 1);
    step(1, 0, 0, (rank + p - 1) % p, 1);
    shared->step[group].flags = 2;
    prims.patCopy(&shared->step[group], shared);
  }
};
