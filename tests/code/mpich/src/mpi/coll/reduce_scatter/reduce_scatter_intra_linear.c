#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

/* Each rank gets its part from all others. */
int MPIR_Reduce_scatter_intra_linear(const void* sendbuf, void* recvbuf, const MPI_Aint* recvcounts, MPI_Datatype datatype,
                                     MPI_Op op, MPIR_Comm* comm, int coll_attr) {
  const int r = comm->rank, p = comm->local_size;
  MPI_Aint all = 0, *begins = malloc((p + 1) * sizeof *begins);
  for (int k = 0; k < p; ++k) {
    begins[k] = all;
    all += recvcounts[k];
  }
  char* input = malloc(all * shim_extent(datatype) + 1);
  MPIR_Localcopy(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, all, datatype, input, all, datatype);
  char* parts = malloc(p * recvcounts[r] * shim_extent(datatype) + 1);
  for (int k = 0; k < p; ++k) {
    const int to = (r + k) % p, from = (r + p - k) % p;
    MPIC_Sendrecv(BYTE(input, begins[to]), recvcounts[to], datatype, to, 1, BYTE(parts, from * recvcounts[r]), recvcounts[r],
                  datatype, from, 1, comm, MPI_STATUS_IGNORE, coll_attr);
  }
  for (int k = 1; k < p; ++k)
    MPIR_Reduce_local(BYTE(parts, (k - 1) * recvcounts[r]), BYTE(parts, k * recvcounts[r]), recvcounts[r], datatype, op);
  MPIR_Localcopy(BYTE(parts, (p - 1) * recvcounts[r]), recvcounts[r], datatype, recvbuf, recvcounts[r], datatype);
  free(parts);
  free(input);
  free(begins);
  return MPI_SUCCESS;
}
