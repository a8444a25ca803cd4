/* Included before an example that two MPIs judge: a rank that isn't one is an error in each. Otherwise -1 would be
   MPI_ANY_SOURCE in Open MPI, and a wrong peer right. */
#include <mpi.h>

static int strict_is_rank(int rank, MPI_Comm comm) {
  int p = 0;
  MPI_Comm_size(comm, &p);
  return rank >= 0 && rank < p;
}

#define MPI_Send(data, count, type, to, tag, comm) \
  (strict_is_rank(to, comm) ? MPI_Send(data, count, type, to, tag, comm) : MPI_ERR_RANK)
#define MPI_Recv(data, count, type, from, tag, comm, status) \
  (strict_is_rank(from, comm) ? MPI_Recv(data, count, type, from, tag, comm, status) : MPI_ERR_RANK)
#define MPI_Sendrecv(out, n, type, to, tag, in, m, kind, from, label, comm, status)  \
  (strict_is_rank(to, comm) && strict_is_rank(from, comm)                            \
       ? MPI_Sendrecv(out, n, type, to, tag, in, m, kind, from, label, comm, status) \
       : MPI_ERR_RANK)
