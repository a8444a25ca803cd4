/* Reduce-scatter of unequal shares: each rank sends every other one its share, and adds up its own as they come. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 28 };

int my_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  const char* given = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  int* first = malloc(((size_t)p + 1) * sizeof *first);
  first[0] = 0;
  for (int r = 0; r < p; r++) first[r + 1] = first[r] + recvcounts[r];
  size_t share = (size_t)recvcounts[rank] * bytes;
  char *sum = malloc(share + 1), *arrived = malloc(share + 1);
  memcpy(sum, given + (size_t)first[rank] * bytes, share);
  for (int k = 1; k < p; k++) {
    int to = (rank + k) % p, from = (rank - k + p) % p;
    MPI_Sendrecv(given + (size_t)first[to] * bytes, recvcounts[to], type, to, TAG, arrived, recvcounts[rank], type,
                 from, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(arrived, sum, recvcounts[rank], type, op);
  }
  memcpy(recvbuf, sum, share);
  free(arrived);
  free(sum);
  free(first);
  return MPI_SUCCESS;
}
