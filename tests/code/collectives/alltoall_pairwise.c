/* Alltoall in p turns: rank r gives to r + k and takes from r - k. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 26 };

int my_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(recvtype, &bytes);
  size_t share = (size_t)recvcount * bytes;
  char *result = recvbuf, *copy = NULL;
  const char* given = sendbuf;
  if (sendbuf == MPI_IN_PLACE) {
    copy = malloc(p * share + 1);
    memcpy(copy, recvbuf, p * share);
    given = copy;
    sendcount = recvcount;
    sendtype = recvtype;
  }
  for (int k = 0; k < p; k++) {
    int to = (rank + k) % p, from = (rank - k + p) % p;
    MPI_Sendrecv(given + to * share, sendcount, sendtype, to, TAG, result + from * share, recvcount, recvtype, from,
                 TAG, comm, MPI_STATUS_IGNORE);
  }
  free(copy);
  return MPI_SUCCESS;
}
