/* Gather of unequal shares, each straight to the root. */
#include <mpi.h>
#include <stdlib.h>

enum { TAG = 23 };

int my_gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
               const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  int rank, p, bytes, n = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Request own = MPI_REQUEST_NULL;
  if (sendbuf != MPI_IN_PLACE) MPI_Isend(sendbuf, sendcount, sendtype, root, TAG, comm, &own);
  if (rank == root) {
    MPI_Type_size(recvtype, &bytes);
    MPI_Request* requests = malloc((size_t)p * sizeof *requests);
    for (int r = 0; r < p; r++)
      if (r != rank || sendbuf != MPI_IN_PLACE)
        MPI_Irecv((char*)recvbuf + (size_t)displs[r] * bytes, recvcounts[r], recvtype, r, TAG, comm, &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    free(requests);
  }
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}
