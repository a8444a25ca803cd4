/* Broadcast of long vectors: the root deals out shares, which go around a ring. */
#include <mpi.h>
#include <stddef.h>

enum { TAG = 18 };

int my_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank, p, bytes;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  char* vector = buffer;
  int share = (count + p - 1) / p;
  int place = (rank - root + p) % p;
#define FIRST(k) ((k)*share < count ? (k)*share : count)
#define SIZE(k) (FIRST((k) + 1) - FIRST(k))
  if (rank == root) {
    for (int k = 1; k < p; k++) MPI_Send(vector + (size_t)FIRST(k) * bytes, SIZE(k), type, (root + k) % p, TAG, comm);
  } else {
    MPI_Recv(vector + (size_t)FIRST(place) * bytes, SIZE(place), type, root, TAG, comm, MPI_STATUS_IGNORE);
  }
  for (int step = 0; step < p - 1; step++) {
    int given = (place - step + p) % p, taken = (place - step - 1 + p) % p;
    MPI_Sendrecv(vector + (size_t)FIRST(given) * bytes, SIZE(given), type, (rank + 1) % p, TAG + 1,
                 vector + (size_t)FIRST(taken) * bytes, SIZE(taken), type, (rank - 1 + p) % p, TAG + 1, comm,
                 MPI_STATUS_IGNORE);
  }
  return MPI_SUCCESS;
}
