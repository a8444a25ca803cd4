/* Reduce over a k-nomial tree: each rank adds the vectors of its children to its own, and gives the sum to its parent.

   Ranks are counted from the root. Written with the base K, a rank's parent has 0 instead of the lowest digit that
   isn't 0. Compile with -DK=2 for another base. The operator must commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifndef K
#define K 4
#endif

enum { TAG = 71 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char *sum, *incoming;
  int count;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Comm comm;
} work_t;

static int add_from(const work_t* w, int child) {
  CHECK(MPI_Recv(w->incoming, w->count, w->type, child, TAG, w->comm, MPI_STATUS_IGNORE));
  return MPI_Reduce_local(w->incoming, w->sum, w->count, w->type, w->op);
}

static int reduce_tree(const work_t* w, int rank, int p, int root) {
  int seat = (rank - root + p) % p;
  for (int unit = 1; unit < p; unit *= K) {
    int digit = seat / unit % K;
    if (digit != 0) {
      int parent = (seat - digit * unit + root) % p;
      return MPI_Send(w->sum, w->count, w->type, parent, TAG, w->comm);
    }
    for (int d = 1; d < K && seat + d * unit < p; d++) CHECK(add_from(w, (seat + d * unit + root) % p));
  }
  return MPI_SUCCESS;
}

int my_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int rank, p, error = MPI_ERR_NO_MEM;
  MPI_Aint lower_bound, extent;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  CHECK(MPI_Type_get_extent(type, &lower_bound, &extent));
  if (count == 0) return MPI_SUCCESS;

  /* Ranks other than the root have no buffer for a result. */
  size_t bytes = (size_t)(count * extent);
  char* room = (char*)malloc(2 * bytes);
  if (room == NULL) return error;
  work_t w = {rank == root ? (char*)recvbuf : room, room + bytes, count, type, op, comm};
  if (sendbuf != MPI_IN_PLACE) memcpy(w.sum, sendbuf, bytes);
  error = reduce_tree(&w, rank, p, root);
  free(room);
  return error;
}
