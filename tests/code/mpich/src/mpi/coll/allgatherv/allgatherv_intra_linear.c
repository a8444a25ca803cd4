#include "mpiimpl.h"

#define BYTE(at, k) ((char*)(at) + (k) * shim_extent(datatype))

int MPIR_Allgatherv_intra_linear(const void* sendbuf, MPI_Aint sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 const MPI_Aint* recvcounts, const MPI_Aint* displs, MPI_Datatype datatype, MPIR_Comm* comm,
                                 int coll_attr) {
  const int r = comm->rank, p = comm->local_size;
  if (sendbuf != MPI_IN_PLACE)
    MPIR_Localcopy(sendbuf, sendcount, sendtype, BYTE(recvbuf, displs[r]), recvcounts[r], datatype);
  for (int k = 1; k < p; ++k) {
    const int to = (r + k) % p, from = (r + p - k) % p;
    MPIC_Sendrecv(BYTE(recvbuf, displs[r]), recvcounts[r], datatype, to, 1, BYTE(recvbuf, displs[from]), recvcounts[from],
                  datatype, from, 1, comm, MPI_STATUS_IGNORE, coll_attr);
  }
  return MPI_SUCCESS;
}
