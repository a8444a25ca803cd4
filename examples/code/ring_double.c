/* Allreduce of doubles on a ring, which adds them itself: for MPI_DOUBLE and MPI_SUM alone.

   All blocks have count / p elements, except that the last one has the rest, too. Even ranks send before they receive
   and odd ones receive before they send, so no send has to be buffered. With an odd number of ranks, ranks p - 1 and 0
   are neighbours that both send first. Then rank 1 receives, so rank 0 can go on. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 12 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

static int length(int block, int count, int p) {
  return block == p - 1 ? count - block * (count / p) : count / p;
}

/* Sends n doubles to the right, and receives m from the left. */
static int shift(const double* out, int n, double* in, int m, int rank, int p, MPI_Comm comm) {
  int right = rank + 1 < p ? rank + 1 : 0, left = rank > 0 ? rank - 1 : p - 1;
  if (rank % 2 == 0) {
    CHECK(MPI_Send(out, n, MPI_DOUBLE, right, TAG, comm));
    CHECK(MPI_Recv(in, m, MPI_DOUBLE, left, TAG, comm, MPI_STATUS_IGNORE));
  } else {
    CHECK(MPI_Recv(in, m, MPI_DOUBLE, left, TAG, comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Send(out, n, MPI_DOUBLE, right, TAG, comm));
  }
  return MPI_SUCCESS;
}

static int add_all(double* sum, double* incoming, int count, int rank, int p, MPI_Comm comm) {
  for (int step = 1; step < p; step++) {
    int out = (rank + p - step) % p, in = (rank + 2 * p - step - 1) % p;
    int n = length(in, count, p);
    double* mine = sum + in * (count / p);
    CHECK(shift(sum + out * (count / p), length(out, count, p), incoming, n, rank, p, comm));
    for (int i = 0; i < n; i++) mine[i] += incoming[i];
  }
  return MPI_SUCCESS;
}

/* Rank r begins with the sum of block r. */
static int pass_on(double* sum, int count, int rank, int p, MPI_Comm comm) {
  for (int hop = 1; hop < p; hop++) {
    int given = (rank + p - hop + 1) % p, taken = (rank + p - hop) % p;
    CHECK(shift(sum + given * (count / p), length(given, count, p), sum + taken * (count / p), length(taken, count, p),
                rank, p, comm));
  }
  return MPI_SUCCESS;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, error;
  double* sum = (double*)recvbuf;
  if (type != MPI_DOUBLE) return MPI_ERR_TYPE;
  if (op != MPI_SUM) return MPI_ERR_OP;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  if (count == 0) return MPI_SUCCESS;
  if (sendbuf != MPI_IN_PLACE) memcpy(sum, sendbuf, (size_t)count * sizeof(double));

  double* incoming = (double*)malloc((size_t)length(p - 1, count, p) * sizeof(double));
  if (incoming == NULL) return MPI_ERR_NO_MEM;
  error = add_all(sum, incoming, count, rank, p, comm);
  if (error == MPI_SUCCESS) error = pass_on(sum, count, rank, p, comm);
  free(incoming);
  return error;
}
