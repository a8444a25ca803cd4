#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Scatter_intra_linear(const void* sendbuf, MPI_Aint sendcount, MPI_Datatype datatype, void* recvbuf, MPI_Aint recvcount,
                              MPI_Datatype recvtype, int root, MPIR_Comm* comm, int coll_attr) {
  if (comm->rank != root) return MPIC_Recv(recvbuf, recvcount, recvtype, root, 1, comm, MPI_STATUS_IGNORE);
  for (int k = 0; k < comm->local_size; ++k)
    if (k != root) MPIC_Send(BYTE(sendbuf, k * sendcount), sendcount, datatype, k, 1, comm, coll_attr);
  if (recvbuf == MPI_IN_PLACE) return MPI_SUCCESS;
  return MPIR_Localcopy(BYTE(sendbuf, root * sendcount), sendcount, datatype, recvbuf, recvcount, recvtype);
}
