// Stands in for NCCL's primitives: messages between ranks over MPI, in slices, through as many slots as a connection
// has. A send waits for a slot, which is free again when the receiver has taken the slice out of it.
//
// PAT's primitives fill several slots of a connection at a time, and read one several times. There, a message goes out
// when the kernel posts a slot, and an empty message back when it gives one free.
#pragma once

#define NCCL_PRIMITIVES_H_  // for the file of that name beside the collectives

#include <mpi.h>

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <type_traits>
#include <vector>

#include "algorithm.h"
#include "device.h"
#include "shim_threads.h"

// Settings that a row may lack.
#ifndef ONCEOVER_SETTING_slices
#define ONCEOVER_SETTING_slices 0
#endif
#ifndef ONCEOVER_SETTING_slice_steps
#define ONCEOVER_SETTING_slice_steps 0
#endif
#ifndef ONCEOVER_SETTING_rings
#define ONCEOVER_SETTING_rings 1
#endif

/// An element; only MPI looks into it.
template <class Bits>
struct Element {
  Bits bits;
};

/// The other side of a connection of PAT, and what is on its way. Slots are counted on; `posted` of them are sent, and
/// `freed` of them are free again.
struct PatConnection {
  long posted = 0, freed = 0;
  std::map<long, std::vector<char>> slots = {};  // being filled, on their way, or being read
  std::deque<MPI_Request> open = {};
  bool is_awaited = false;  // does a thread wait for its next message?
  long long written = 0;    // the kernels' accSize
};

/// What the threads of a block do between two barriers. None may write where another one reads or writes.
struct PatAccess {
  const char *begin, *end;
  bool is_written;
  int group;
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
  PatConnection to[32], from[32];
  std::vector<PatAccess> accesses;
  alignas(16) char scratch[16 << 10];
};

// Static, since ranks that share a process would share an inline variable.
static ncclShmemData* block_memory;  // of the block whose turn it is
#define ncclShmem (*block_memory)

inline void* ncclScratchForWarp(int) {
  return ncclShmem.scratch;
}

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

enum primsMode { primsModeDefault, primsModePatRs, primsModePatAg };

inline void wait_oldest(std::deque<MPI_Request>& open) {
  MPI_Request oldest = open.front();
  open.pop_front();
  await(&oldest);
}

template <class T, class RedOp, class Fan, int Direct, class Proto, int P2p, bool isNetOffload = false>
class Primitives {
 public:
  Primitives(int tid, int, const int* receive, const int* send, const void* input, void* output, uint64_t = 0,
             uint8_t group = 0, uint8_t = 0, uint8_t = 0, const void* = nullptr, const void* = nullptr, int = 0,
             int mode = primsModeDefault)
      : is_first_(tid == 0), mode_(mode), group_(group), input_((T*)input), output_((T*)output) {
    if (mode != primsModeDefault) return;
    for (int k = 0; receive != nullptr && k < Fan::MaxRecv && receive[k] >= 0; ++k) from_.push_back(receive[k]);
    for (int k = 0; send != nullptr && k < Fan::MaxSend && send[k] >= 0; ++k) to_.push_back({send[k], {}});
  }
  Primitives(const Primitives&) = delete;
  ~Primitives() {
    for (Connection& each : to_)
      while (!each.open.empty()) finish_oldest(each);
    if (mode_ != primsModeDefault) finish_pat();
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

  /// A step of PAT's reduce-scatter: a sum of what came and of what is there goes to a slot, or to the result.
  template <class Step, class Shared>
  void patReduce(Step* step, Shared* shared) {
    if (!is_run(*step)) return meet_twice();
    const int n = std::max(step->nelem, 0);
    PatConnection *const from = receives_from(*step), *const to = sends_to(*step);
    const PatSlots slots{from, to};
    const T* came = nullptr;
    if (from != nullptr) {
      await_slot(*from, step->recvDim, from->freed);
      came = (const T*)place(*from, from->freed, step->recvOffset, n);
    }
    long long& written = to != nullptr ? to->written : shared->localAccSize;
    long long reached = (long long)step->outIx + n;
    T* into = output_ + step->outIx;
    if (to != nullptr) {
      const long slot = to->posted + step->stepOffset;
      await_free(*to, step->sendDim, slot);
      into = (T*)place(*to, slot, step->sendOffset, n);
      reached = step->sendOffset + n + (long long)slot * slot_length();
    }
    const bool is_new = written < reached;
    const T* own = is_new ? input_ + step->inpIx : into;
    barrier_sync(15, pat_threads);
    access(came, n, false);
    access(own, n, false);
    access(into, n, true);
    T* sum = copy_of(own, n);
    if (came != nullptr) MPI_Reduce_local((void*)came, sum, n, current.type, current.op);
    memcpy(into, sum, (size_t)n * sizeof(T));
    free(sum);
    written = std::max(written, reached);
    end_step(*step, slots);
  }

  /// A step of PAT's allgather: what came, or the rank's own block, goes to a slot, and to the result if it is new
  /// there.
  template <class Step, class Shared>
  void patCopy(Step* step, Shared* shared) {
    if (!is_run(*step)) return meet_twice();
    const int n = std::max(step->nelem, 0);
    PatConnection *const from = receives_from(*step), *const to = sends_to(*step);
    const PatSlots slots{from, to};
    const T* source = input_ + step->inpIx;
    long long reached = (long long)step->inpIx + n;
    if (from != nullptr) {
      const long slot = from->freed + step->stepOffset;
      await_slot(*from, step->recvDim, slot);
      source = (const T*)place(*from, slot, step->recvOffset, n);
      reached = step->recvOffset + n + (long long)slot * slot_length();
    }
    long long& written = from != nullptr ? from->written : shared->localAccSize;
    T *result = written < reached ? output_ + step->outIx : nullptr, *into = nullptr;
    if (to != nullptr) {
      await_free(*to, step->sendDim, to->posted);
      into = (T*)place(*to, to->posted, step->sendOffset, n);
    }
    barrier_sync(15, pat_threads);
    access(source, n, false);
    for (T* each : {into, result}) {
      if (each == nullptr || each == source) continue;
      access(each, n, true);
      memcpy(each, source, (size_t)n * sizeof(T));
    }
    written = std::max(written, reached);
    end_step(*step, slots);
  }

 private:
  static constexpr int None = -1, Input = 0, Output = 1;
  static constexpr int pat_threads = 512, tag_of_free = 1000;

  struct Slice {
    MPI_Request request;
    T* data;
  };

  /// Slices on their way to a peer, the oldest first.
  struct Connection {
    int peer;
    std::deque<Slice> open;
  };

  /// The connections of a step, and how far they were when it began.
  struct PatSlots {
    PatConnection *from, *to;
    long freed, posted;
    PatSlots(PatConnection* from, PatConnection* to)
        : from(from), to(to), freed(from == nullptr ? 0 : from->freed), posted(to == nullptr ? 0 : to->posted) {}
  };

  /// In elements. The setting counts 8 bytes.
  static long slot_length() { return SETTING(slice) * 8L / (long)sizeof(T); }

  static void finish_oldest(Connection& to) {
    Slice oldest = to.open.front();
    to.open.pop_front();
    await(&oldest.request);
    free(oldest.data);
  }

  static T* copy_of(const T* data, int n) {
    T* copy = (T*)malloc((size_t)n * sizeof(T) + 1);
    memcpy(copy, data, (size_t)n * sizeof(T));
    return copy;
  }

  /// The warps other than the first of a group do the same to other elements.
  template <int receives, int sends, int from, int into>
  void generic(intptr_t at, intptr_t to, int n) {
    if (!is_first_) return;
    n = n < 0 ? 0 : n;
    if (Proto::Id != NCCL_PROTO_SIMPLE) return one_slice<receives, sends, from, into>(at, to, n, 1);
    // A slice is as long as genericOp makes it in NCCL's prims_simple.h: a part of the chunk, rounded up to 16
    // elements, and at least a 32nd of what fits. All slices are sent, the empty ones, too.
    const int slices = SETTING(slices) > 0 ? SETTING(slices) : Proto::SlicePerChunk;
    const int steps = SETTING(slice_steps) > 0 ? SETTING(slice_steps) : Proto::StepPerSlice;
    const int slice = std::max((n + 16 * slices - 1) / (16 * slices) * 16, (int)slot_length() * steps / 32);
    int offset = 0;
    for (int k = 0; k < slices; ++k) {
      const int m = std::min(slice, n - offset);
      one_slice<receives, sends, from, into>(at + offset, to + offset, m, steps);
      offset += m;
    }
    assert(offset == n && "the slices are shorter than the chunk");
  }

  template <int receives, int sends, int from, int into>
  void one_slice(intptr_t at, intptr_t to, int n, int steps) {
    assert(n <= slot_length() * steps && "a slice is longer than its slots");
    const size_t slots = (size_t)std::max(1, SETTING(steps) / steps);
    if (sends)
      for (Connection& each : to_)
        while (each.open.size() >= slots) finish_oldest(each);
    T* sum = nullptr;
    if (from != None) sum = copy_of((from == Input ? input_ : output_) + at, n);
    for (size_t k = 0; receives && k < from_.size(); ++k) {
      T* got = (T*)malloc((size_t)n * sizeof(T) + 1);
      MPI_Request request;
      MPI_Irecv(got, n, current.type, from_[k], ncclShmem.channelId, current.comm, &request);
      await(&request);
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

  /// PAT's peers are 1, 2, 4, .. ranks away.
  int peer(int dim, bool is_receiver) const {
    const int p = ncclShmem.comm.nRanks, distance = (1 << dim) % p;
    const bool is_above = is_receiver == (mode_ == primsModePatRs);
    return (ncclShmem.comm.rank + (is_above ? distance : p - distance)) % p;
  }

  template <class Step>
  static PatConnection* receives_from(const Step& step) {
    return step.recvDim < 0 ? nullptr : &ncclShmem.from[step.recvDim];
  }

  template <class Step>
  static PatConnection* sends_to(const Step& step) {
    return step.sendDim < 0 ? nullptr : &ncclShmem.to[step.sendDim];
  }

  template <class Step>
  bool is_run(const Step& step) const {
    constexpr int skipped = 2;  // PatSkipped
    return is_first_ && (step.flags & skipped) == 0;
  }

  static void meet_twice() {
    barrier_sync(15, pat_threads);
    barrier_sync(15, pat_threads);
  }

  char* place(PatConnection& connection, long slot, int offset, int n) const {
    assert(offset >= 0 && offset + n <= slot_length() && "a slot is too short");
    std::vector<char>& all = connection.slots[slot];
    if (all.empty()) all.resize((size_t)slot_length() * sizeof(T));
    return all.data() + (size_t)offset * sizeof(T);
  }

  static void receive(void* into, int most, MPI_Datatype type, int from, int tag) {
    MPI_Request request;
    MPI_Irecv(into, most, type, from, tag, current.comm, &request);
    await(&request);
  }

  /// One thread receives; others wait until it has.
  void await_slot(PatConnection& from, int dim, long slot) {
    while (from.posted <= slot) {
      if (from.is_awaited) {
        await_change();
        continue;
      }
      from.is_awaited = true;
      receive(place(from, from.posted, 0, 0), (int)slot_length(), current.type, peer(dim, false), ncclShmem.channelId);
      ++from.posted;
      from.is_awaited = false;
    }
  }

  void await_free(PatConnection& to, int dim, long slot) {
    while (slot >= to.freed + SETTING(steps)) {
      if (to.is_awaited) {
        await_change();
        continue;
      }
      to.is_awaited = true;
      receive(nullptr, 0, MPI_BYTE, peer(dim, true), tag_of_free + ncclShmem.channelId);
      wait_oldest(to.open);
      to.slots.erase(to.freed++);
      to.is_awaited = false;
    }
  }

  void access(const T* at, int n, bool is_written) {
    if (at == nullptr || n == 0) return;
    const char *begin = (const char*)at, *end = (const char*)(at + n);
    for (const PatAccess& each : ncclShmem.accesses)
      assert((each.group == group_ || (!each.is_written && !is_written) || end <= each.begin || each.end <= begin) &&
             "two warps are at the same place at once");
    ncclShmem.accesses.push_back({begin, end, is_written, group_});
  }

  /// Slots count as posted and free before the second barrier, and others see it after that.
  template <class Step>
  void end_step(const Step& step, const PatSlots& slots) {
    const bool posts = slots.to != nullptr && step.postSend, frees = slots.from != nullptr && step.postRecv;
    if (posts) count_on(slots.to->posted, slots.posted);
    if (frees) count_on(slots.from->freed, slots.freed);
    barrier_sync(15, pat_threads);
    ncclShmem.accesses.clear();
    if (posts) post(*slots.to, slots.posted, step);
    if (frees) give_free(*slots.from, slots.freed, step);
  }

  static void count_on(long& count, long before) {
    assert(count == before && "two warps post a slot at once");
    ++count;
  }

  template <class Step>
  void post(PatConnection& to, long slot, const Step& step) {
    const int n = step.sendOffset + std::max(step.nelem, 0);
    MPI_Request request;
    MPI_Isend(place(to, slot, 0, n), n, current.type, peer(step.sendDim, true), ncclShmem.channelId, current.comm,
              &request);
    to.open.push_back(request);
  }

  template <class Step>
  void give_free(PatConnection& from, long slot, const Step& step) {
    MPI_Request request;
    MPI_Isend(nullptr, 0, MPI_BYTE, peer(step.recvDim, false), tag_of_free + ncclShmem.channelId, current.comm,
              &request);
    from.open.push_back(request);
    from.slots.erase(slot);
  }

  /// All slots must have been given free.
  void finish_pat() {
    barrier_sync(15, pat_threads);
    if (!is_first_ || group_ != 0) return;
    for (int dim = 0; dim < 32; ++dim) {
      PatConnection &to = ncclShmem.to[dim], &from = ncclShmem.from[dim];
      await_free(to, dim, to.posted + SETTING(steps) - 1);
      while (!from.open.empty()) wait_oldest(from.open);
      assert(from.posted == from.freed && "a message is left behind");
    }
  }

  bool is_first_;  // of its group
  int mode_, group_;
  T *input_, *output_;
  std::vector<int> from_;
  std::vector<Connection> to_;
};

// Names in code that isn't run.
template <int, class, class, int, int, int, int, int, int, int, class... Rest>
void reduceCopy(const Rest&...) {
  assert(!"this isn't run");
}
#define COLL_UNROLL 4
