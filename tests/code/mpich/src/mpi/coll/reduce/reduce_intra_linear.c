#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

/* From the last rank to the first, so that any operator is fine; then to the root. */
int MPIR_Reduce_intra_linear(const void* sendbuf, void* recvbuf, MPI_Aint count, MPI_Datatype datatype, MPI_Op op, int root,
                             MPIR_Comm* comm, int coll_attr) {
  const int r = comm->rank, p = comm->local_size;
  void *sum = malloc(count * shim_extent(datatype) + 1);
  MPIR_Localcopy(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, datatype, sum, count, datatype);
  if (r < p - 1) {
    void* above = malloc(count * shim_extent(datatype) + 1);
    MPIC_Recv(above, count, datatype, r + 1, 1, comm, MPI_STATUS_IGNORE);
    MPIR_Reduce_local(sum, above, count, datatype, op);
    free(sum);
    sum = above;
  }
  if (r > 0) MPIC_Send(sum, count, datatype, r - 1, 1, comm, coll_attr);
  if (r == 0 && root != 0) MPIC_Send(sum, count, datatype, root, 2, comm, coll_attr);
  if (r == 0 && root == 0) MPIR_Localcopy(sum, count, datatype, recvbuf, count, datatype);
  if (r == root && root != 0) MPIC_Recv(recvbuf, count, datatype, 0, 2, comm, MPI_STATUS_IGNORE);
  free(sum);
  return MPI_SUCCESS;
}
