/* A function that sums doubles in place, without datatype and operator:
 *
 *   verify code in_place_numbers.c --function adapter --numbers
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Along a chain to the last rank, and back. */
static void sum_all(double *x, int n, MPI_Comm comm) {
  int r, p;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &p);
  double *y = (double *)malloc((size_t)n * sizeof(double) + 1);
  if (r > 0) MPI_Recv(y, n, MPI_DOUBLE, r - 1, 0, comm, MPI_STATUS_IGNORE);
  for (int k = 0; r > 0 && k < n; ++k) x[k] += y[k];
  if (r < p - 1) MPI_Send(x, n, MPI_DOUBLE, r + 1, 0, comm);
  if (r < p - 1) MPI_Recv(x, n, MPI_DOUBLE, r + 1, 1, comm, MPI_STATUS_IGNORE);
  if (r > 0) MPI_Send(x, n, MPI_DOUBLE, r - 1, 1, comm);
  free(y);
}

int adapter(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  (void)type, (void)op;
  if (from != MPI_IN_PLACE) memcpy(to, from, (size_t)count * sizeof(double));
  sum_all((double *)to, count, comm);
  return MPI_SUCCESS;
}
