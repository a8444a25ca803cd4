/* Calls an algorithm of ours, which uses the stand-in itself. */
#include "core.h"
#include "ucp.h"

#include "algorithm.h"
#include ALGORITHM_FILE

int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, ranks;
  if (n == 0) return MPI_SUCCESS;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  stand_in_type = type;
  stand_in_op = op;
  stand_in_begin(comm);
  stand_in_hosts(rank, ranks);
  ALGORITHM(from == MPI_IN_PLACE ? to : from, to, n, rank, ranks);
  stand_in_end();
  return MPI_SUCCESS;
}
