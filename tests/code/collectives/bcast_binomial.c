/* Broadcast by a binomial tree. */
#include <mpi.h>

enum { TAG = 17 };

int my_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  int rank, p, distance = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  int place = (rank - root + p) % p;
  while (distance < p) {
    if (place & distance) {
      MPI_Recv(buffer, count, type, (rank - distance + p) % p, TAG, comm, MPI_STATUS_IGNORE);
      break;
    }
    distance *= 2;
  }
  for (distance /= 2; distance > 0; distance /= 2)
    if (place + distance < p) MPI_Send(buffer, count, type, (rank + distance) % p, TAG, comm);
  return MPI_SUCCESS;
}
