/* Inclusive scan by recursive doubling; the operator need not commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 30 };

int my_scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  size_t vector = (size_t)count * bytes;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, vector);
  char* arrived = malloc(vector + 1);
  for (int distance = 1; distance < p; distance *= 2) {
    MPI_Request sent = MPI_REQUEST_NULL;
    char* copy = malloc(vector + 1);
    memcpy(copy, recvbuf, vector);
    if (rank + distance < p) MPI_Isend(copy, count, type, rank + distance, TAG, comm, &sent);
    if (rank - distance >= 0) {
      MPI_Recv(arrived, count, type, rank - distance, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Reduce_local(arrived, recvbuf, count, type, op);
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    free(copy);
  }
  free(arrived);
  return MPI_SUCCESS;
}
