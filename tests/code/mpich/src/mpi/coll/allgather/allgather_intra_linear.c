#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Allgather_intra_linear(const void* sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Aint recvcount,
                                MPI_Datatype datatype, MPIR_Comm* comm, int coll_attr) {
  const int r = comm->rank, p = comm->local_size;
  if (sendbuf != MPI_IN_PLACE)
    MPIR_Localcopy(sendbuf, sendcount, sendtype, BYTE(recvbuf, r * recvcount), recvcount, datatype);
  for (int k = 1; k < p; ++k) {
    const int to = (r + k) % p, from = (r + p - k) % p;
    MPIC_Sendrecv(BYTE(recvbuf, r * recvcount), recvcount, datatype, to, 1, BYTE(recvbuf, from * recvcount), recvcount, datatype,
                  from, 1, comm, MPI_STATUS_IGNORE, coll_attr);
  }
  return MPI_SUCCESS;
}
