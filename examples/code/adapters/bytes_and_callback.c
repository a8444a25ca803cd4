/* A function that counts bytes and adds by a callback:
 *
 *   verify code bytes_and_callback.c --function adapter
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

typedef void add_fn(void *sum, const void *more, size_t bytes, void *context);

/* All to rank 0, and back to all. */
static int reduce_bytes(void *x, size_t bytes, add_fn *add, void *context, MPI_Comm comm) {
  int r, p;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &p);
  const int n = (int)bytes;
  if (r > 0) {
    MPI_Send(x, n, MPI_BYTE, 0, 7, comm);
    return MPI_Recv(x, n, MPI_BYTE, 0, 8, comm, MPI_STATUS_IGNORE);
  }
  void *more = malloc(bytes + 1);
  for (int k = 1; k < p; ++k) {
    MPI_Recv(more, n, MPI_BYTE, k, 7, comm, MPI_STATUS_IGNORE);
    add(x, more, bytes, context);
  }
  for (int k = 1; k < p; ++k) MPI_Send(x, n, MPI_BYTE, k, 8, comm);
  free(more);
  return MPI_SUCCESS;
}

struct reduction {
  MPI_Datatype type;
  MPI_Op op;
};

static void add_elements(void *sum, const void *more, size_t bytes, void *context) {
  const struct reduction *as = context;
  int size;
  MPI_Type_size(as->type, &size);
  MPI_Reduce_local(more, sum, (int)bytes / size, as->type, as->op);
}

int adapter(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int size;
  MPI_Type_size(type, &size);
  if (from != MPI_IN_PLACE) memcpy(to, from, (size_t)count * (size_t)size);
  struct reduction as = {type, op};
  return reduce_bytes(to, (size_t)count * (size_t)size, add_elements, &as, comm);
}
