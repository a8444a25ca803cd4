/* Reduce-scatter of equal shares around a ring; the input is left as it is. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 29 };

int my_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype type, MPI_Op op,
                            MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  size_t share = (size_t)recvcount * bytes;
  const char* given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  char *sum = malloc(share + 1), *arrived = malloc(share + 1);
  int right = (rank + 1) % p, left = (rank - 1 + p) % p;
  memcpy(sum, given + (size_t)left * share, share);
  for (int step = 1; step < p; step++) {
    int taken = (rank - step - 1 + 2 * p) % p;
    MPI_Sendrecv(sum, recvcount, type, right, TAG, arrived, recvcount, type, left, TAG, comm, MPI_STATUS_IGNORE);
    memcpy(sum, given + (size_t)taken * share, share);
    MPI_Reduce_local(arrived, sum, recvcount, type, op);
  }
  memcpy(recvbuf, sum, share);
  free(arrived);
  free(sum);
  return MPI_SUCCESS;
}
