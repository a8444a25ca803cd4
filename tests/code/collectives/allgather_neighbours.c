/* Allgather among all at once, by requests. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 20 };

int my_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, bytes, n = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(recvtype, &bytes);
  size_t share = (size_t)recvcount * bytes;
  char* result = recvbuf;
  if (sendbuf != MPI_IN_PLACE)
    MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, TAG, result + rank * share, recvcount, recvtype, rank, TAG, comm,
                 MPI_STATUS_IGNORE);
  MPI_Request* requests = malloc(2 * (size_t)p * sizeof *requests);
  for (int k = 1; k < p; k++) {
    int from = (rank + k) % p;
    MPI_Irecv(result + from * share, recvcount, recvtype, from, TAG, comm, &requests[n++]);
  }
  for (int k = 1; k < p; k++) {
    int to = (rank - k + p) % p;
    MPI_Isend(result + rank * share, recvcount, recvtype, to, TAG, comm, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  free(requests);
  return MPI_SUCCESS;
}
