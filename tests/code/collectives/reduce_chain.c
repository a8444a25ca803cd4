/* Reduce along a chain that ends at the root, in segments of at most 16 elements. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 16, SEGMENT = 16 };

int my_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  int place = (rank - root + p) % p, next = (rank - 1 + p) % p, previous = (rank + 1) % p;
  const char* own = sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf;
  char *sum = malloc((size_t)count * bytes + 1), arrived[SEGMENT * 64];
  memcpy(sum, own, (size_t)count * bytes);
  for (int first = 0; first < count; first += SEGMENT) {
    int n = count - first < SEGMENT ? count - first : SEGMENT;
    char* here = sum + (size_t)first * bytes;
    if (place < p - 1) {
      MPI_Recv(arrived, n, type, previous, TAG, comm, MPI_STATUS_IGNORE);
      MPI_Reduce_local(arrived, here, n, type, op);
    }
    if (place > 0) MPI_Send(here, n, type, next, TAG, comm);
  }
  if (place == 0) memcpy(recvbuf, sum, (size_t)count * bytes);
  free(sum);
  return MPI_SUCCESS;
}
