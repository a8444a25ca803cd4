/* A broadcast in two calls, one that starts it and one that waits:
 *
 *   verify code started_and_waited.c --function adapter --collective bcast
 */
#include <mpi.h>
#include <stdlib.h>

typedef struct {
  MPI_Request *requests;
  int count;
} handle_t;

static handle_t start_broadcast(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  int r, p;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &p);
  handle_t handle = {malloc((size_t)p * sizeof(MPI_Request)), 0};
  if (r != root) MPI_Irecv(x, n, type, root, 4, comm, &handle.requests[handle.count++]);
  for (int k = 0; r == root && k < p; ++k)
    if (k != root) MPI_Isend(x, n, type, k, 4, comm, &handle.requests[handle.count++]);
  return handle;
}

static int wait_for(handle_t handle) {
  const int error = MPI_Waitall(handle.count, handle.requests, MPI_STATUSES_IGNORE);
  free(handle.requests);
  return error;
}

int adapter(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  return wait_for(start_broadcast(x, n, type, root, comm));
}
