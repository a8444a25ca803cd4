#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Alltoallv_intra_linear(const void* sendbuf, const MPI_Aint* sendcounts, const MPI_Aint* sdispls, MPI_Datatype datatype,
                                void* recvbuf, const MPI_Aint* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                                MPIR_Comm* comm, int coll_attr) {
  const int r = comm->rank, p = comm->local_size;
  MPIR_Localcopy(BYTE(sendbuf, sdispls[r]), sendcounts[r], datatype, BYTE(recvbuf, rdispls[r]), recvcounts[r], recvtype);
  for (int k = 1; k < p; ++k) {
    const int to = (r + k) % p, from = (r + p - k) % p;
    MPIC_Sendrecv(BYTE(sendbuf, sdispls[to]), sendcounts[to], datatype, to, 1, BYTE(recvbuf, rdispls[from]), recvcounts[from],
                  recvtype, from, 1, comm, MPI_STATUS_IGNORE, coll_attr);
  }
  return MPI_SUCCESS;
}
