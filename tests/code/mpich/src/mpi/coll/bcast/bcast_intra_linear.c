#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Bcast_intra_linear(void* buffer, MPI_Aint count, MPI_Datatype datatype, int root, MPIR_Comm* comm, int coll_attr) {
  if (comm->rank != root) return MPIC_Recv(buffer, count, datatype, root, 1, comm, MPI_STATUS_IGNORE);
  for (int k = 0; k < comm->local_size; ++k)
    if (k != root) MPIC_Send(buffer, count, datatype, k, 1, comm, coll_attr);
  return MPI_SUCCESS;
}
