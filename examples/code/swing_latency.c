/* Swing's allreduce for short vectors: log2(p) steps in which partners exchange whole vectors.

   In step s, even ranks swing by rho(s) = 1, -1, 3, -5, 11, .. and odd ranks by -rho(s). That is right for powers of
   two only. For other p, the last ranks give their vectors to the first ones before, and get the result after. The
   operator must commute. From p = 8 on, ranks add up in different orders, so that sums of floating-point numbers may
   differ from rank to rank. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 41, FOLD_TAG = 42 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

static int rho(int step) {
  int offset = 1;
  for (int s = 0; s < step; s++) offset = 1 - 2 * offset;
  return offset;
}

/* The partner of a rank among the first `power` ranks. */
static int partner(int rank, int step, int power) {
  int peer = rank % 2 == 0 ? rank + rho(step) : rank - rho(step);
  return ((peer % power) + power) % power;
}

static int exchange_all(char* mine, char* theirs, int count, MPI_Datatype type, MPI_Op op, int rank, int power,
                        MPI_Comm comm) {
  for (int step = 0; 1 << step < power; step++) {
    int peer = partner(rank, step, power);
    CHECK(MPI_Sendrecv(mine, count, type, peer, TAG + 2 * step, theirs, count, type, peer, TAG + 2 * step, comm,
                       MPI_STATUS_IGNORE));
    CHECK(MPI_Reduce_local(theirs, mine, count, type, op));
  }
  return MPI_SUCCESS;
}

static int reduce_all(char* mine, char* theirs, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, power = 1;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  while (power * 2 <= p) power *= 2;

  if (rank >= power) {
    CHECK(MPI_Send(mine, count, type, rank - power, FOLD_TAG, comm));
    return MPI_Recv(mine, count, type, rank - power, FOLD_TAG, comm, MPI_STATUS_IGNORE);
  }
  if (rank + power < p) {
    CHECK(MPI_Recv(theirs, count, type, rank + power, FOLD_TAG, comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Reduce_local(theirs, mine, count, type, op));
  }
  CHECK(exchange_all(mine, theirs, count, type, op, rank, power, comm));
  if (rank + power < p) CHECK(MPI_Send(mine, count, type, rank + power, FOLD_TAG, comm));
  return MPI_SUCCESS;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int error;
  MPI_Aint lower_bound, extent;
  CHECK(MPI_Type_get_extent(type, &lower_bound, &extent));
  if (count == 0) return MPI_SUCCESS;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)(count * extent));

  char* theirs = (char*)malloc((size_t)(count * extent));
  if (theirs == NULL) return MPI_ERR_NO_MEM;
  error = reduce_all((char*)recvbuf, theirs, count, type, op, comm);
  free(theirs);
  return error;
}
