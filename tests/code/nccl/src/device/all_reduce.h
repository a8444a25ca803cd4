// A chain of sums by the primitives: up to rank 0 and down again. Works for any operator. Before that, each rank sends two
// chunks before it takes any, which two chunks' worth of slots allow.
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
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> ring(tid, nthreads, &ncclShmem.channel.ring.prev,
                                                            &ncclShmem.channel.ring.next, work->sendbuff, work->sendbuff, 0);
    ring.send(begin, n);
    ring.send(begin, n);
    T* scratch = (T*)malloc((n + begin) * sizeof(T) + 1);
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> into(tid, nthreads, &ncclShmem.channel.ring.prev, nullptr, scratch,
                                                            scratch, 0);
    into.recv(begin, n);
    into.directRecv(begin, n);
    free(scratch);
  }
  {
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> up(tid, nthreads, &above, &below, work->sendbuff, work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (above == -1) up.directSend(begin + at, begin + at, n);
      else if (below == -1) up.recvReduceCopy(begin + at, begin + at, n);
      else up.recvReduceSend(begin + at, n);
    }
  }
  {
    Primitives<T, RedOp, FanSymmetric<1>, 1, Proto, 0> down(tid, nthreads, &below, &above, work->sendbuff, work->recvbuff, 0);
    for (size_t at = 0; at < all; at += chunk) {
      const int n = std::min<size_t>(chunk, all - at);
      if (below == -1) down.directSendFromOutput(begin + at, n);
      else if (above == -1) down.directRecv(begin + at, n);
      else down.directRecvCopyDirectSend(begin + at, begin + at, n);
    }
  }
}
