/* Allreduce by a ring: a reduce-scatter, then an allgather, of shares that differ by one element. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 11 };

static int first_of(int count, int p, int share) {
  int rest = count % p;
  return share * (count / p) + (share < rest ? share : rest);
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  char* result = recvbuf;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)count * bytes);
  char* arrived = malloc((size_t)(count / p + 1) * bytes);
  int right = (rank + 1) % p, left = (rank - 1 + p) % p;
  for (int step = 0; step < p - 1; step++) {
    int given = (rank - step + p) % p, taken = (rank - step - 1 + 2 * p) % p;
    int from = first_of(count, p, given), to = first_of(count, p, given + 1);
    int begin = first_of(count, p, taken), end = first_of(count, p, taken + 1);
    MPI_Sendrecv(result + (size_t)from * bytes, to - from, type, right, TAG, arrived, end - begin, type, left, TAG,
                 comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(arrived, result + (size_t)begin * bytes, end - begin, type, op);
  }
  for (int step = 0; step < p - 1; step++) {
    int given = (rank + 1 - step + p) % p, taken = (rank - step + p) % p;
    int from = first_of(count, p, given), to = first_of(count, p, given + 1);
    int begin = first_of(count, p, taken), end = first_of(count, p, taken + 1);
    MPI_Sendrecv(result + (size_t)from * bytes, to - from, type, right, TAG, result + (size_t)begin * bytes,
                 end - begin, type, left, TAG, comm, MPI_STATUS_IGNORE);
  }
  free(arrived);
  return MPI_SUCCESS;
}
