// Sums by the primitives, along a chain, up to rank 0 and down again, and along trees. The chain works for any
// operator. Before that, each rank sends two chunks around the ring before it takes any, which two chunks' worth of
// slots allow.
#include "device.h"
#include "primitives.h"

template <typename T, typename RedOp, typename Proto>
void runRing(int tid, int nthreads, ncclDevWorkColl* work) {
  const int rank = ncclShmem.comm.rank, p = ncclShmem.comm.nRanks, channel = ncclShmem.channelId;
  const size_t begin = channel * work->cbd.countLo;
  const size_t all = channel == work->channelHi && channel > 0 ? work->cbd.countHi : work->cbd.countLo;
  const int chunk = 64 * work->cbd.chunkGrainsLo;
  int above = rank + 1 < p ? rank + 1 : -1, below = rank - 1;
  {
    const int n = std::min<size_t>(chunk, all);
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> ring(
        tid, nthreads, &ncclShmem.channel.ring.prev, &ncclShmem.channel.ring.next, work->sendbuff, work->sendbuff, 0);
    ring.send(begin, n);
    ring.send(begin, n);
    T* scratch = (T*)malloc((n + begin) * sizeof(T) + 1);
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> into(tid, nthreads, &ncclShmem.channel.ring.prev, nullptr,
                                                            scratch, scratch, 0);
    into.recv(begin, n);
    into.directRecv(begin, n);
    free(scratch);
  }
  {
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> up(tid, nthreads, &above, &below, work->sendbuff, work->recvbuff,
                                                          0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (above == -1)
        up.directSend(begin + at, begin + at, n);
      else if (below == -1)
        up.recvReduceCopy(begin + at, begin + at, n);
      else
        up.recvReduceSend(begin + at, n);
    }
  }
  {
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> down(tid, nthreads, &below, &above, work->sendbuff,
                                                            work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (below == -1)
        down.directSendFromOutput(begin + at, n);
      else if (above == -1)
        down.directRecv(begin + at, n);
      else
        down.directRecvCopyDirectSend(begin + at, begin + at, n);
    }
  }
}

/// Up and down a tree at once, by a warp each.
template <typename T, typename RedOp, typename Proto>
void runTreeSplit(int tid, int nthreads, ncclDevWorkColl* work) {
  ncclTree* tree = &ncclShmem.channel.tree;
  const int channel = ncclShmem.channelId, chunk = 64 * work->cbd.chunkGrainsLo;
  const size_t begin = channel * work->cbd.countLo;
  const size_t all = channel == work->channelHi && channel > 0 ? work->cbd.countHi : work->cbd.countLo;
  const bool is_root = tree->up == -1, goes_up = tid < 32;
  if (is_root && !goes_up) return;
  using Up = Primitives<T, RedOp, FanAsymmetric<3, 1>, 1, Proto, 0>;
  using Down = Primitives<T, RedOp, FanAsymmetric<1, 3>, 1, Proto, 0>;
  if (is_root) {
    Primitives<T, RedOp, FanSymmetric<2>, 1, Proto, 0> top(tid, 32, tree->down, tree->down, work->sendbuff,
                                                           work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk)
      top.directRecvReduceCopyDirectSend(begin + at, begin + at, std::min<size_t>(chunk, all - at), true);
  } else if (goes_up) {
    Up up(tid, 32, tree->down, &tree->up, work->sendbuff, work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (tree->down[0] == -1)
        up.directSend(begin + at, begin + at, n);
      else
        up.directRecvReduceDirectSend(begin + at, begin + at, n);
    }
  } else {
    Down down(tid - 32, 32, &tree->up, tree->down, work->sendbuff, work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (tree->down[0] == -1)
        down.directRecv(begin + at, n);
      else
        down.directRecvCopyDirectSend(begin + at, begin + at, n);
    }
  }
}

template <class T, class RedOp>
struct RunWorkColl<ncclFuncAllReduce, T, RedOp, NCCL_ALGO_RING, NCCL_PROTO_SIMPLE> {
  void run(int tid, int nthreads, ncclDevWorkColl* work) { runRing<T, RedOp, ProtoSimple<2, 2>>(tid, nthreads, work); }
};

template <class T, class RedOp>
struct RunWorkColl<ncclFuncAllReduce, T, RedOp, NCCL_ALGO_RING, NCCL_PROTO_LL> {
  void run(int tid, int nthreads, ncclDevWorkColl* work) { runRing<T, RedOp, ProtoLL>(tid, nthreads, work); }
};

template <class T, class RedOp>
struct RunWorkColl<ncclFuncAllReduce, T, RedOp, NCCL_ALGO_TREE, NCCL_PROTO_SIMPLE> {
  void run(int tid, int nthreads, ncclDevWorkColl* work) {
    runTreeSplit<T, RedOp, ProtoSimple<1, 1>>(tid, nthreads, work);
  }
};
