/* Scatter of unequal shares, each straight from the root. */
#include <mpi.h>
#include <stddef.h>

enum { TAG = 25 };

int my_scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  if (rank != root) return MPI_Recv(recvbuf, recvcount, recvtype, root, TAG, comm, MPI_STATUS_IGNORE);
  MPI_Type_size(sendtype, &bytes);
  for (int k = 1; k < p; k++) {
    int to = (rank + k) % p;
    MPI_Send((const char*)sendbuf + (size_t)displs[to] * bytes, sendcounts[to], sendtype, to, TAG, comm);
  }
  if (recvbuf != MPI_IN_PLACE)
    MPI_Sendrecv((const char*)sendbuf + (size_t)displs[rank] * bytes, sendcounts[rank], sendtype, rank, TAG, recvbuf,
                 recvcount, recvtype, rank, TAG, comm, MPI_STATUS_IGNORE);
  return MPI_SUCCESS;
}
