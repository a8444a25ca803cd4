/* Exclusive scan along a chain; rank 0 has no result. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 31 };

int my_exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  size_t vector = (size_t)count * bytes;
  char* sum = malloc(vector + 1);
  memcpy(sum, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, vector);
  if (rank > 0) {
    MPI_Recv(recvbuf, count, type, rank - 1, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(recvbuf, sum, count, type, op);
  }
  if (rank + 1 < p) MPI_Send(sum, count, type, rank + 1, TAG, comm);
  free(sum);
  return MPI_SUCCESS;
}
