/* Scatter by a binomial tree: a rank gets the shares of its subtree, and passes on those of its children. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 24 };

int my_scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm) {
  int rank, p, bytes, distance = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  int at_root = rank == root, count = at_root ? sendcount : recvcount;
  MPI_Datatype type = at_root ? sendtype : recvtype;
  MPI_Type_size(type, &bytes);
  size_t share = (size_t)count * bytes;
  char* held = malloc(p * share + 1);
  int place = (rank - root + p) % p;
  if (at_root)
    for (int k = 0; k < p; k++)
      memcpy(held + k * share, (const char*)sendbuf + (size_t)((root + k) % p) * share, share);
  while (distance < p && !(place & distance)) distance *= 2;
  if (!at_root) {
    int shares = p - place < distance ? p - place : distance;
    MPI_Recv(held, shares * count, type, (rank - distance + p) % p, TAG, comm, MPI_STATUS_IGNORE);
  }
  for (distance /= 2; distance > 0; distance /= 2)
    if (place + distance < p) {
      int shares = p - place - distance < distance ? p - place - distance : distance;
      MPI_Send(held + distance * share, shares * count, type, (rank + distance) % p, TAG, comm);
    }
  if (recvbuf != MPI_IN_PLACE) memcpy(recvbuf, held, share);
  free(held);
  return MPI_SUCCESS;
}
