/* An allreduce of one's own that is wrong in two ways which a test with small integers on 4 or 8 ranks doesn't show:

   - Where the number of ranks is no power of two, partners that aren't there are left out. With 6 ranks, 2 and 3 never
     hear of 4 and 5.
   - For powers of two the partners are those of Swing, r +- (1, -1, 3, -5 ..). Every contribution arrives once, but with 8
     ranks the sums are made in two ways, and floating-point results differ from rank to rank.

     mpicc -shared -fPIC -o wrong.so allreduce_wrong.c
     mpirun -n 6 env LD_PRELOAD=./wrong.so verify-mpi --collective allreduce */
#include <mpi.h>
#include <stdlib.h>

enum { tag = 77 };

static int partner(int rank, int ranks, int step) {
  int offset = 1;
  if ((ranks & (ranks - 1)) != 0) return rank ^ (1 << step);
  for (int s = 0; s < step; ++s) offset = 1 - 2 * offset;
  return ((rank % 2 == 0 ? rank + offset : rank - offset) + 2 * ranks) % ranks;
}

int MPI_Allreduce(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, ranks;
  MPI_Aint low, extent, true_low, true_extent;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_get_true_extent(type, &true_low, &true_extent);
  if (input != MPI_IN_PLACE)
    MPI_Sendrecv(input, count, type, 0, tag, result, count, type, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  if (count == 0) return MPI_SUCCESS;
  char *room = malloc((size_t)(true_extent + (count - 1) * extent));
  if (room == NULL) return MPI_ERR_NO_MEM;
  void *other = room - true_low;
  for (int step = 0; 1 << step < ranks; ++step) {
    const int peer = partner(rank, ranks, step);
    if (peer >= ranks) continue;
    MPI_Sendrecv(result, count, type, peer, tag, other, count, type, peer, tag, comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(other, result, count, type, op);
  }
  free(room);
  return MPI_SUCCESS;
}
