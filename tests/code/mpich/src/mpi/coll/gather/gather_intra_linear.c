#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Gather_intra_linear(const void* sendbuf, MPI_Aint sendcount, MPI_Datatype datatype, void* recvbuf, MPI_Aint recvcount,
                             MPI_Datatype recvtype, int root, MPIR_Comm* comm, int coll_attr) {
  if (comm->rank != root) return MPIC_Send(sendbuf, sendcount, datatype, root, 1, comm, coll_attr);
  for (int k = 0; k < comm->local_size; ++k)
    if (k != root) MPIC_Recv(BYTE(recvbuf, k * recvcount), recvcount, recvtype, k, 1, comm, MPI_STATUS_IGNORE);
  if (sendbuf == MPI_IN_PLACE) return MPI_SUCCESS;
  return MPIR_Localcopy(sendbuf, sendcount, datatype, BYTE(recvbuf, root * recvcount), recvcount, recvtype);
}
