// Gives an algorithm of NCCL the signature of MPI's collective. NCCL's kernels run for two ranks or more.
#include "shim_primitives.h"

#if defined(HAS_PAT)
#define __CUDA_ARCH__ 700  // PAT is for GPUs from some age on
inline int __ffs(int bits) {
  return __builtin_ffs(bits);
}
inline int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}
#endif
#include ALGORITHM_FILE

#ifdef HAS_TREE
ncclResult_t ncclGetDtree(int ranks, int rank, int* up, int* first, int* second, int* kind, int* up2, int* first2,
                          int* second2, int* kind2);
#endif

namespace {

struct Sum {};

/// A warp each: how many there are for a channel.
#if defined(HAS_PAT)
constexpr int warps = NCCL_PAT_NWORKERS / 32 + 1;
#elif defined(HAS_TREE)
constexpr int warps = 2;
#else
constexpr int warps = 1;
#endif

ncclShmemData* blocks;
ncclDevWorkColl work;

int position(int r, int p) {
  return (r % p + p) % p;
}

int ranks_of(MPI_Comm comm) {
  int p;
  MPI_Comm_size(comm, &p);
  return p;
}

/// A ring in the order of ranks. Every second channel may have one that runs backwards.
void make_ring(ncclShmemData& block, int* ranks) {
  const int rank = block.comm.rank, p = block.comm.nRanks;
  const int way = SETTING(rings) == 2 && block.channelId % 2 == 1 ? -1 : 1;
  ncclRing& ring = block.channel.ring;
  ring.userRanks = ranks;
  for (int k = 0; k < p; ++k) ranks[k] = position(rank + way * k, p);
  ring.prev = ranks[p - 1];
  ring.next = ranks[1];
  ring.index = position(way * rank, p);
}

#ifdef HAS_TREE
/// NCCL's double binary tree: every second channel has the second one.
void make_tree(ncclShmemData& block) {
  int up[2], first[2], second[2], kind[2];
  ncclGetDtree(block.comm.nRanks, block.comm.rank, &up[0], &first[0], &second[0], &kind[0], &up[1], &first[1],
               &second[1], &kind[1]);
  ncclTree& tree = block.channel.tree;
  const int k = block.channelId % 2;
  int children[] = {first[k], second[k]}, count = 0;
  tree.up = up[k];
  for (int& child : tree.down) child = -1;
  for (const int child : children)
    if (child != -1) tree.down[count++] = child;
}
#else
void make_tree(ncclShmemData&) {}
#endif

/// Each channel has as much, and the last one the rest. NCCL has none without elements.
void make_work(const void* from, void* to, size_t n, int root, int channels) {
  const size_t each = n / (size_t)channels;
  memset((void*)&work, 0, sizeof work);
  work.sendbuff = (void*)from;
  work.recvbuff = to;
  work.root = root;
  work.channelLo = 0;
  work.channelHi = channels - 1;
  work.cbd.countLo = channels == 1 ? n : each;
  work.cbd.countMid = channels > 2 ? each : 0;
  work.cbd.countHi = channels == 1 ? 0 : n - each * (size_t)(channels - 1);
  work.cbd.chunkGrainsLo = work.cbd.chunkGrainsMid = work.cbd.chunkGrainsHi = SETTING(grains);
}

void enter(int block) {
  block_memory = &blocks[block];
}

template <class T>
void run_thread_of(int, int thread) {
#ifdef PROTOCOL
  ALGORITHM<T, Sum, PROTOCOL>(thread, 32 * warps, &work);
#else
  ALGORITHM<KERNEL_FUNCTION, T, Sum, KERNEL>().run(thread, 32 * warps, &work);
#endif
}

int run(const void* from, void* to, size_t n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int rank, bytes;
  const int p = ranks_of(comm);
  assert(p >= 2);
  if (n == 0) return MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &bytes);
  assert(bytes == 4 || bytes == 8);
  current = {comm, type, op};
  const int channels = (int)std::min((size_t)SETTING(channels), n);
  make_work(from, to, n, root, channels);
  blocks = new ncclShmemData[(size_t)channels]();
  std::vector<int> ranks((size_t)channels * (size_t)p);
  for (int c = 0; c < channels; ++c) {
    blocks[c].channelId = c;
    blocks[c].comm.rank = rank;
    blocks[c].comm.nRanks = blocks[c].comm.nNodes = p;
    make_ring(blocks[c], &ranks[(size_t)c * (size_t)p]);
    make_tree(blocks[c]);
  }
  const int order = SETTING(order) == 0 ? 0 : SETTING(order) * p + rank;
  run_blocks(channels, warps, order, enter,
             bytes == 4 ? run_thread_of<Element<uint32_t>> : run_thread_of<Element<uint64_t>>);
  delete[] blocks;
  return MPI_SUCCESS;
}

}  // namespace

#if defined(IS_allreduce)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return run(from == MPI_IN_PLACE ? to : from, to, (size_t)n, type, op, 0, comm);
}
#elif defined(IS_reduce)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
                                MPI_Comm comm) {
  return run(from == MPI_IN_PLACE ? to : from, to, (size_t)n, type, op, root, comm);
}
#elif defined(IS_bcast)
extern "C" int onceover_adapter(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  return run(buffer, buffer, (size_t)n, type, MPI_OP_NULL, root, comm);
}
#elif defined(IS_reduce_scatter_block)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return run(from, to, (size_t)n, type, op, 0, comm);
}
#elif defined(IS_allgather)
extern "C" int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int, MPI_Datatype,
                                MPI_Comm comm) {
  int rank, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Type_size(type, &bytes);
  if (from == MPI_IN_PLACE) from = (const char*)to + (size_t)rank * (size_t)n * (size_t)bytes;
  return run(from, to, (size_t)n, type, MPI_OP_NULL, 0, comm);
}
#endif
