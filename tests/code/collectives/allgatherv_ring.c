/* Allgather of unequal shares around a ring. */
#include <mpi.h>
#include <stddef.h>

enum { TAG = 21 };

int my_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                  const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(recvtype, &bytes);
  char* result = recvbuf;
  if (sendbuf != MPI_IN_PLACE)
    MPI_Sendrecv(sendbuf, sendcount, sendtype, rank, TAG, result + (size_t)displs[rank] * bytes, recvcounts[rank],
                 recvtype, rank, TAG, comm, MPI_STATUS_IGNORE);
  int right = (rank + 1) % p, left = (rank - 1 + p) % p;
  for (int step = 0; step < p - 1; step++) {
    int given = (rank - step + p) % p, taken = (rank - step - 1 + p) % p;
    MPI_Sendrecv(result + (size_t)displs[given] * bytes, recvcounts[given], recvtype, right, TAG,
                 result + (size_t)displs[taken] * bytes, recvcounts[taken], recvtype, left, TAG, comm,
                 MPI_STATUS_IGNORE);
  }
  return MPI_SUCCESS;
}
