/* Allreduce by recursive doubling; ranks beyond the largest power of two fold into their neighbours before it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 12 };

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes, power = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)count * bytes);
  char* arrived = malloc((size_t)count * bytes + 1);
  while (power * 2 <= p) power *= 2;
  int rest = p - power, place = rank - rest;
  if (rank < 2 * rest) {
    if (rank % 2 == 0) {
      MPI_Send(recvbuf, count, type, rank + 1, TAG, comm);
      place = -1;
    } else {
      MPI_Recv(arrived, count, type, rank - 1, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Reduce_local(arrived, recvbuf, count, type, op);
      place = rank / 2;
    }
  }
  if (place >= 0) {
    for (int distance = 1; distance < power; distance *= 2) {
      int partner = place ^ distance;
      int peer = partner < rest ? 2 * partner + 1 : partner + rest;
      MPI_Sendrecv(recvbuf, count, type, peer, TAG, arrived, count, type, peer, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Reduce_local(arrived, recvbuf, count, type, op);
    }
  }
  if (rank < 2 * rest) {
    if (rank % 2 == 1) MPI_Send(recvbuf, count, type, rank - 1, TAG, comm);
    if (rank % 2 == 0) MPI_Recv(recvbuf, count, type, rank + 1, TAG, comm, MPI_STATUS_IGNORE);
  }
  free(arrived);
  return MPI_SUCCESS;
}
