/* Gather by a binomial tree: a rank sends all that it holds, its own share first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 22 };

int my_gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  int at_root = rank == root, count = at_root ? recvcount : sendcount;
  MPI_Datatype type = at_root ? recvtype : sendtype;
  MPI_Type_size(type, &bytes);
  size_t share = (size_t)count * bytes;
  char* held = malloc(p * share + 1);
  int place = (rank - root + p) % p, holds = 1;
  if (sendbuf == MPI_IN_PLACE)
    memcpy(held, (char*)recvbuf + rank * share, share);
  else
    memcpy(held, sendbuf, share);
  for (int distance = 1; distance < p; distance *= 2) {
    if (place & distance) {
      MPI_Send(held, holds * count, type, (rank - distance + p) % p, TAG, comm);
      break;
    }
    if (place + distance < p) {
      int more = p - place - distance < distance ? p - place - distance : distance;
      MPI_Recv(held + distance * share, more * count, type, (rank + distance) % p, TAG, comm, MPI_STATUS_IGNORE);
      holds = distance + more;
    }
  }
  if (at_root)
    for (int k = 0; k < p; k++) memcpy((char*)recvbuf + (size_t)((root + k) % p) * share, held + k * share, share);
  free(held);
  return MPI_SUCCESS;
}
