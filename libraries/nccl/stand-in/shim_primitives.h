// Stands in for NCCL's primitives: messages between ranks over MPI, in slices, through as many slots as a connection has.
// A send waits for a slot, which is free again when the receiver has taken the slice out of it.
#pragma once

#define NCCL_PRIMITIVES_H_  // for the file of that name beside the collectives

#include <mpi.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <type_traits>
#include <vector>

#include "algorithm.h"
#include "device.h"

/// An element; only MPI looks into it.
struct Element {
  uint64_t bits;
};

struct ncclShmemData {
  struct {
    ncclRing ring;
    ncclTree tree, collnetChain;
    ncclDirect collnetDirect;
    ncclNvls nvls;
  } channel;
  int channelId;
  struct {
    int rank, nRanks, node, nNodes;
    int* collNetDenseToUserRank;
  } comm;
};

// Static, since ranks that share a process would share an inline variable.
static ncclShmemData ncclShmem;

/// What a call is made with.
struct Call {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
};
static Call current;

template <class A, class B>
constexpr auto min(A a, B b) {
  using Common = std::common_type_t<A, B>;
  return static_cast<Common>(a) < static_cast<Common>(b) ? static_cast<Common>(a) : static_cast<Common>(b);
}
template <class A, class B>
constexpr auto max(A a, B b) {
  using Common = std::common_type_t<A, B>;
  return static_cast<Common>(a) > static_cast<Common>(b) ? static_cast<Common>(a) : static_cast<Common>(b);
}

template <int SlicePerChunk_1, int StepPerSlice_1, int Unroll_1 = 4, int MultimemSrcs_1 = 0, int MultimemDsts_1 = 0>
struct ProtoSimple {
  static constexpr int Id = NCCL_PROTO_SIMPLE;
  static constexpr int SlicePerChunk = SlicePerChunk_1, StepPerSlice = StepPerSlice_1, MaxGroupWidth = 2;
};
struct ProtoLL {
  static constexpr int Id = NCCL_PROTO_LL, SlicePerChunk = 1, StepPerSlice = 1, MaxGroupWidth = 1;
};
struct ProtoLL128 {
  static constexpr int Id = NCCL_PROTO_LL128, SlicePerChunk = 1, StepPerSlice = 1, MaxGroupWidth = 1;
};

template <int recv, int send>
struct FanAsymmetric {
  static constexpr int MaxRecv = recv, MaxSend = send;
};
template <int arity>
struct FanSymmetric {
  static constexpr int MaxRecv = arity, MaxSend = arity;
};

template <ncclFunc_t function, class T, class RedOp, int algorithm, int protocol>
struct RunWorkColl;

template <class T, class RedOp, class Fan, int Direct, class Proto, int P2p, bool isNetOffload = false>
class Primitives {
 public:
  template <class... Rest>
  Primitives(int, int, const int* receive, const int* send, const void* input, void* output, const Rest&...)
      : input_((T*)input), output_((T*)output) {
    for (int k = 0; receive != nullptr && k < Fan::MaxRecv && receive[k] >= 0; ++k) from_.push_back(receive[k]);
    for (int k = 0; send != nullptr && k < Fan::MaxSend && send[k] >= 0; ++k) to_.push_back({send[k], {}});
  }
  Primitives(const Primitives&) = delete;
  ~Primitives() {
    for (Connection& each : to_)
      while (!each.open.empty()) finish_oldest(each);
  }

  void send(intptr_t at, int n) { generic<0, 1, Input, None>(at, -1, n); }
  void directSend(intptr_t at, intptr_t, int n) { generic<0, 1, Input, None>(at, -1, n); }
  void sendFromOutput(intptr_t at, int n) { generic<0, 1, Output, None>(at, -1, n); }
  void directSendFromOutput(intptr_t at, int n) { generic<0, 1, Output, None>(at, -1, n); }
  void copySend(intptr_t at, intptr_t to, int n, bool = false) { generic<0, 1, Input, Output>(at, to, n); }
  void directCopySend(intptr_t at, intptr_t to, int n, bool = false) { generic<0, 1, Input, Output>(at, to, n); }
  void recv(intptr_t to, int n, bool = false) { generic<1, 0, None, Output>(-1, to, n); }
  void directRecv(intptr_t to, int n, bool = false) { generic<1, 0, None, Output>(-1, to, n); }
  void recvSend(int n, bool = false) { generic<1, 1, None, None>(-1, -1, n); }
  void recvCopySend(intptr_t to, int n, bool = false) { generic<1, 1, None, Output>(-1, to, n); }
  void directRecvCopyDirectSend(intptr_t to, intptr_t, int n, bool = false) { generic<1, 1, None, Output>(-1, to, n); }
  void recvReduceCopy(intptr_t at, intptr_t to, int n, bool = false) { generic<1, 0, Input, Output>(at, to, n); }
  void directRecvReduceCopy(intptr_t at, intptr_t to, int n, bool = false) { generic<1, 0, Input, Output>(at, to, n); }
  void recvReduceSend(intptr_t at, int n, bool = false) { generic<1, 1, Input, None>(at, -1, n); }
  void directRecvReduceSend(intptr_t at, int n, bool = false) { generic<1, 1, Input, None>(at, -1, n); }
  void directRecvReduceDirectSend(intptr_t at, intptr_t, int n, bool = false) { generic<1, 1, Input, None>(at, -1, n); }
  void recvReduceCopySend(intptr_t at, intptr_t to, int n, bool = false) { generic<1, 1, Input, Output>(at, to, n); }
  void directRecvReduceCopyDirectSend(intptr_t at, intptr_t to, int n, bool = false) {
    generic<1, 1, Input, Output>(at, to, n);
  }

 private:
  static constexpr int None = -1, Input = 0, Output = 1;

  struct Slice {
    MPI_Request request;
    T* data;
  };

  /// Slices on their way to a peer, the oldest first.
  struct Connection {
    int peer;
    std::deque<Slice> open;
  };

  static void finish_oldest(Connection& to) {
    Slice oldest = to.open.front();
    to.open.pop_front();
    MPI_Wait(&oldest.request, MPI_STATUS_IGNORE);
    free(oldest.data);
  }

  static T* copy_of(const T* data, int n) {
    T* copy = (T*)malloc((size_t)n * sizeof(T) + 1);
    memcpy(copy, data, (size_t)n * sizeof(T));
    return copy;
  }

  template <int receives, int sends, int from, int into>
  void generic(intptr_t at, intptr_t to, int n) {
    n = n < 0 ? 0 : n;
    int slice = SETTING(slice) * Proto::StepPerSlice;
    slice = std::max((n + 16 * Proto::SlicePerChunk - 1) / (16 * Proto::SlicePerChunk) * 16, slice / 32);
    int offset = 0;
    for (int k = 0; k < Proto::SlicePerChunk; ++k) {
      const int m = std::min(slice, n - offset);
      one_slice<receives, sends, from, into>(at + offset, to + offset, m);
      offset += m;
    }
  }

  template <int receives, int sends, int from, int into>
  void one_slice(intptr_t at, intptr_t to, int n) {
    const size_t slots = (size_t)std::max(1, SETTING(steps) / Proto::StepPerSlice);
    if (sends)
      for (Connection& each : to_)
        while (each.open.size() >= slots) finish_oldest(each);
    T* sum = nullptr;
    if (from != None) sum = copy_of((from == Input ? input_ : output_) + at, n);
    for (size_t k = 0; receives && k < from_.size(); ++k) {
      T* got = (T*)malloc((size_t)n * sizeof(T) + 1);
      MPI_Recv(got, n, current.type, from_[k], ncclShmem.channelId, current.comm, MPI_STATUS_IGNORE);
      if (sum != nullptr) MPI_Reduce_local(sum, got, n, current.type, current.op);
      free(sum);
      sum = got;
    }
    if (into != None) memcpy((into == Input ? input_ : output_) + to, sum, (size_t)n * sizeof(T));
    for (size_t k = 0; sends && k < to_.size(); ++k) {
      T* data = copy_of(sum, n);
      MPI_Request request;
      MPI_Issend(data, n, current.type, to_[k].peer, ncclShmem.channelId, current.comm, &request);
      to_[k].open.push_back({request, data});
    }
    free(sum);
  }

  T *input_, *output_;
  std::vector<int> from_;
  std::vector<Connection> to_;
};

// Names in code that isn't run.
template <int, class, class, int, int, int, int, int, int, int, class... Rest>
void reduceCopy(const Rest&...) {
  assert(!"this isn't run");
}
inline void barrier_sync(int, int) {}
#define COLL_UNROLL 4
