/* Allgather by Bruck: the data goes by distances 1, 2, 4, .., and is turned at the end. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 19 };

int my_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(recvtype, &bytes);
  size_t share = (size_t)recvcount * bytes;
  char *held = malloc(p * share + 1), *result = recvbuf;
  memcpy(held, sendbuf == MPI_IN_PLACE ? result + rank * share : (const char*)sendbuf, share);
  for (int distance = 1; distance < p; distance *= 2) {
    int n = distance < p - distance ? distance : p - distance;
    MPI_Sendrecv(held, n * recvcount, recvtype, (rank - distance + p) % p, TAG, held + distance * share, n * recvcount,
                 recvtype, (rank + distance) % p, TAG, comm, MPI_STATUS_IGNORE);
  }
  for (int k = 0; k < p; k++) memcpy(result + (size_t)((rank + k) % p) * share, held + k * share, share);
  free(held);
  return sendcount < 0 || sendtype == MPI_DATATYPE_NULL ? MPI_ERR_ARG : MPI_SUCCESS;
}
