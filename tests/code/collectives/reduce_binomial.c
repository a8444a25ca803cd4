/* Reduce by a binomial tree at the root. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 15 };

int my_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  size_t vector = (size_t)count * bytes;
  char *sum = malloc(vector + 1), *arrived = malloc(vector + 1);
  memcpy(sum, sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, vector);
  int place = (rank - root + p) % p;
  for (int distance = 1; distance < p; distance *= 2) {
    if (place & distance) {
      MPI_Send(sum, count, type, (place - distance + root) % p, TAG, comm);
      break;
    }
    if (place + distance < p) {
      MPI_Recv(arrived, count, type, (place + distance + root) % p, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Reduce_local(arrived, sum, count, type, op);
    }
  }
  if (rank == root) memcpy(recvbuf, sum, vector);
  free(arrived);
  free(sum);
  return MPI_SUCCESS;
}
