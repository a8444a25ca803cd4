/* Allreduce by the root, which takes contributions as they come but adds them up by rank; then a linear broadcast. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 13 };

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes, which;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  size_t vector = (size_t)count * bytes;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, vector);
  MPI_Request* requests = malloc((size_t)p * sizeof *requests);
  if (rank > 0) {
    MPI_Send(recvbuf, count, type, 0, TAG, comm);
    MPI_Recv(recvbuf, count, type, 0, TAG + 1, comm, MPI_STATUS_IGNORE);
  } else {
    char* room = malloc(p * vector + 1);
    for (int r = 1; r < p; r++) MPI_Irecv(room + r * vector, count, type, r, TAG, comm, &requests[r - 1]);
    for (int k = 1; k < p; k++) MPI_Waitany(p - 1, requests, &which, MPI_STATUS_IGNORE);
    for (int r = 1; r < p; r++) MPI_Reduce_local(room + r * vector, recvbuf, count, type, op);
    for (int r = 1; r < p; r++) MPI_Isend(recvbuf, count, type, r, TAG + 1, comm, &requests[r - 1]);
    MPI_Waitall(p - 1, requests, MPI_STATUSES_IGNORE);
    free(room);
  }
  free(requests);
  return MPI_SUCCESS;
}
