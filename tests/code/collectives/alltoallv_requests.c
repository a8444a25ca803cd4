/* Alltoallv by requests; in place, the data is copied first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 27 };

int my_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, bytes, n = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(recvtype, &bytes);
  const char* given = sendbuf;
  char *result = recvbuf, *copy = NULL;
  if (sendbuf == MPI_IN_PLACE) {
    int end = 0;
    for (int r = 0; r < p; r++)
      if (rdispls[r] + recvcounts[r] > end) end = rdispls[r] + recvcounts[r];
    copy = malloc((size_t)end * bytes + 1);
    for (int r = 0; r < p; r++)
      memcpy(copy + (size_t)rdispls[r] * bytes, result + (size_t)rdispls[r] * bytes, (size_t)recvcounts[r] * bytes);
    given = copy;
    sendcounts = recvcounts;
    sdispls = rdispls;
    sendtype = recvtype;
  }
  MPI_Request* requests = malloc(2 * (size_t)p * sizeof *requests);
  for (int k = 0; k < p; k++) {
    int from = (rank - k + p) % p;
    MPI_Irecv(result + (size_t)rdispls[from] * bytes, recvcounts[from], recvtype, from, TAG, comm, &requests[n++]);
  }
  for (int k = 0; k < p; k++) {
    int to = (rank + k) % p;
    MPI_Isend(given + (size_t)sdispls[to] * bytes, sendcounts[to], sendtype, to, TAG, comm, &requests[n++]);
  }
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  free(requests);
  free(copy);
  return MPI_SUCCESS;
}
