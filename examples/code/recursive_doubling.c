/* Allreduce by recursive doubling: log2(p) steps in which partners exchange whole vectors.

   If p is no power of two, the first ranks are folded in pairs before, and get the result after. Operands are joined in
   the order of the ranks, so the operator need not commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 21 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char *mine, *theirs; /* vectors of `bytes` bytes */
  size_t bytes;
  int count;
  MPI_Datatype type;
  MPI_Op op;
} work_t;

/* mine = theirs op mine, or mine op theirs: the lower ranks are on the left. */
static int join(const work_t* w, int they_are_lower) {
  if (they_are_lower) return MPI_Reduce_local(w->theirs, w->mine, w->count, w->type, w->op);
  CHECK(MPI_Reduce_local(w->mine, w->theirs, w->count, w->type, w->op));
  memcpy(w->mine, w->theirs, w->bytes);
  return MPI_SUCCESS;
}

static int reduce_all(const work_t* w, int rank, int p, MPI_Comm comm) {
  int power = 1;
  while (2 * power <= p) power *= 2;
  int extra = p - power; /* so many pairs 0 and 1, 2 and 3, .. */

  if (rank < 2 * extra && rank % 2 == 0) {
    CHECK(MPI_Send(w->mine, w->count, w->type, rank + 1, TAG, comm));
    return MPI_Recv(w->mine, w->count, w->type, rank + 1, TAG, comm, MPI_STATUS_IGNORE);
  }
  if (rank < 2 * extra) {
    CHECK(MPI_Recv(w->theirs, w->count, w->type, rank - 1, TAG, comm, MPI_STATUS_IGNORE));
    CHECK(join(w, 1));
  }

  int seat = rank < 2 * extra ? rank / 2 : rank - extra;
  for (int distance = 1; distance < power; distance *= 2) {
    int other = seat ^ distance;
    int peer = other < extra ? 2 * other + 1 : other + extra;
    CHECK(MPI_Sendrecv(w->mine, w->count, w->type, peer, TAG, w->theirs, w->count, w->type, peer, TAG, comm,
                       MPI_STATUS_IGNORE));
    CHECK(join(w, peer < rank));
  }

  if (rank < 2 * extra) CHECK(MPI_Send(w->mine, w->count, w->type, rank - 1, TAG, comm));
  return MPI_SUCCESS;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, error;
  MPI_Aint lower_bound, extent;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  CHECK(MPI_Type_get_extent(type, &lower_bound, &extent));
  if (count == 0) return MPI_SUCCESS;

  work_t w = {(char*)recvbuf, NULL, (size_t)(count * extent), count, type, op};
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, w.bytes);
  w.theirs = (char*)malloc(w.bytes);
  if (w.theirs == NULL) return MPI_ERR_NO_MEM;
  error = reduce_all(&w, rank, p, comm);
  free(w.theirs);
  return error;
}
