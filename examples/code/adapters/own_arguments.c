/* A reduce-scatter whose arguments come in another order, with offsets in place of counts:
 *
 *   verify code own_arguments.c --function adapter --collective reduce-scatter
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Rank r gets elements begins[r] .. begins[r + 1] - 1, from each other rank directly. */
static int scatter_sums(MPI_Comm comm, void *mine, const void *all, const int *begins, MPI_Op op, MPI_Datatype type) {
  int r, p;
  MPI_Aint low, size;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &p);
  MPI_Type_get_extent(type, &low, &size);
  const int n = begins[r + 1] - begins[r];
  void *more = malloc((size_t)n * (size_t)size + 1);
  memcpy(mine, (const char *)all + begins[r] * size, (size_t)n * (size_t)size);
  for (int k = 1; k < p; ++k) {
    const int to = (r + k) % p, from = (r + p - k) % p;
    MPI_Sendrecv((const char *)all + begins[to] * size, begins[to + 1] - begins[to], type, to, k, more, n, type, from, k,
                 comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(more, mine, n, type, op);
  }
  free(more);
  return MPI_SUCCESS;
}

int adapter(const void *from, void *to, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int p;
  MPI_Comm_size(comm, &p);
  int *begins = malloc(((size_t)p + 1) * sizeof *begins);
  begins[0] = 0;
  for (int r = 0; r < p; ++r) begins[r + 1] = begins[r] + counts[r];
  const int error = scatter_sums(comm, to, from, begins, op, type);
  free(begins);
  return error;
}
