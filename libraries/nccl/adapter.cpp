// Gives an algorithm of NCCL the signature of MPI's collective. Channels are gone through one after the other.
#include "shim_primitives.h"

#include ALGORITHM_FILE

#ifdef HAS_TREE
ncclResult_t ncclGetDtree(int ranks, int rank, int* up, int* first, int* second, int* kind, int* up2, int* first2,
                          int* second2, int* kind2);
#endif

namespace {

struct Sum {};

int position(int r, int p) { return (r % p + p) % p; }

/// One ring for all channels, in the order of ranks.
void make_ring(MPI_Comm comm) {
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  ncclShmem.comm.rank = rank;
  ncclShmem.comm.nRanks = p;
  ncclShmem.comm.nNodes = p;
  ncclRing& ring = ncclShmem.channel.ring;
  ring.prev = position(rank - 1, p);
  ring.next = position(rank + 1, p);
  ring.index = rank;
  ring.userRanks = (int*)malloc((size_t)p * sizeof(int));
  for (int k = 0; k < p; ++k) ring.userRanks[k] = position(rank + k, p);
}

#ifdef HAS_TREE
/// NCCL's double binary tree: every second channel has the second one.
void make_tree(int channel) {
  int up[2], first[2], second[2], kind[2];
  ncclGetDtree(ncclShmem.comm.nRanks, ncclShmem.comm.rank, &up[0], &first[0], &second[0], &kind[0], &up[1], &first[1],
               &second[1], &kind[1]);
  ncclTree& tree = ncclShmem.channel.tree;
  const int k = channel % 2;
  int children[] = {first[k], second[k]}, count = 0;
  tree.up = up[k];
  for (int& child : tree.down) child = -1;
  for (const int child : children)
    if (child != -1) tree.down[count++] = child;
}
#else
void make_tree(int) {}
#endif

/// Each channel has as much, and the last one the rest.
ncclDevWorkColl work_for(const void* from, void* to, size_t n, int root) {
  ncclDevWorkColl work;
  memset((void*)&work, 0, sizeof work);
  const int channels = SETTING(channels);
  const size_t each = n / (size_t)channels;
  work.sendbuff = (void*)from;
  work.recvbuff = to;
  work.root = root;
  work.channelLo = 0;
  work.channelHi = channels - 1;
  work.cbd.countLo = channels == 1 ? n : each;
  work.cbd.countMid = channels > 2 ? each : 0;
  work.cbd.countHi = channels == 1 ? 0 : n - each * (size_t)(channels - 1);
  work.cbd.chunkGrainsLo = work.cbd.chunkGrainsMid = work.cbd.chunkGrainsHi = SETTING(grains);
  return work;
}

int run(const void* from, void* to, size_t n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int p;
  MPI_Comm_size(comm, &p);
  if (n == 0) return MPI_SUCCESS;
  current = {comm, type, op};
  make_ring(comm);
  ncclDevWorkColl work = work_for(from, to, n, root);
  for (int c = 0; c < SETTING(channels); ++c) {
    ncclShmem.channelId = c;
    make_tree(c);
    ALGORITHM<Element, Sum, PROTOCOL>(0, 1, &work);
  }
  free(ncclShmem.channel.ring.userRanks);
  return MPI_SUCCESS;
}

int copied(const void* from, void* to, int n) {
  memcpy(to, from, (size_t)n * sizeof(Element));
  return MPI_SUCCESS;
}

int ranks_of(MPI_Comm comm) {
  int p;
  MPI_Comm_size(comm, &p);
  return p;
}

}  // namespace

#if defined(IS_allreduce)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (from == MPI_IN_PLACE) from = to;
  if (ranks_of(comm) == 1) return from == to ? MPI_SUCCESS : copied(from, to, n);
  return run(from, to, (size_t)n, type, op, 0, comm);
}
#elif defined(IS_reduce)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root,
                                MPI_Comm comm) {
  if (from == MPI_IN_PLACE) from = to;
  if (ranks_of(comm) == 1) return from == to ? MPI_SUCCESS : copied(from, to, n);
  return run(from, to, (size_t)n, type, op, root, comm);
}
#elif defined(IS_bcast)
extern "C" int onceover_adapter(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  if (ranks_of(comm) == 1) return MPI_SUCCESS;
  return run(buffer, buffer, (size_t)n, type, MPI_OP_NULL, root, comm);
}
#elif defined(IS_reduce_scatter_block)
extern "C" int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  if (ranks_of(comm) == 1) return copied(from, to, n);
  return run(from, to, (size_t)n, type, op, 0, comm);
}
#elif defined(IS_allgather)
extern "C" int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int, MPI_Datatype,
                                MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (from == MPI_IN_PLACE) from = (Element*)to + (size_t)rank * (size_t)n;
  if (ranks_of(comm) == 1) return from == to ? MPI_SUCCESS : copied(from, to, n);
  return run(from, to, (size_t)n, type, MPI_OP_NULL, 0, comm);
}
#endif
