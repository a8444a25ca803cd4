/* An allreduce of one's own, over point-to-point calls: recursive doubling, neighbours folded where the number of ranks is
   no power of two. It stands in for the library's where it is loaded first:

     mpicc -shared -fPIC -o right.so allreduce_right.c
     mpirun -n 6 env LD_PRELOAD=./right.so verify-mpi --collective allreduce --match

   Operands are joined in the order of the ranks, so operators that don't commute are safe. */
#include <mpi.h>
#include <stdlib.h>

enum { tag = 77 };

static void copy(const void *from, void *to, int count, MPI_Datatype type) {
  MPI_Sendrecv(from, count, type, 0, tag, to, count, type, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* mine = theirs and mine joined, the lower ranks on the left. */
static void join(void *theirs, void *mine, int they_are_lower, int count, MPI_Datatype type, MPI_Op op) {
  if (they_are_lower) {
    MPI_Reduce_local(theirs, mine, count, type, op);
  } else {
    MPI_Reduce_local(mine, theirs, count, type, op);
    copy(theirs, mine, count, type);
  }
}

int MPI_Allreduce(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, ranks, inner = 1;
  MPI_Aint low, extent, true_low, true_extent;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_get_true_extent(type, &true_low, &true_extent);
  if (input != MPI_IN_PLACE) copy(input, result, count, type);
  if (count == 0) return MPI_SUCCESS;
  char *room = malloc((size_t)(true_extent + (count - 1) * extent));
  if (room == NULL) return MPI_ERR_NO_MEM;
  void *other = room - true_low;

  while (inner * 2 <= ranks) inner *= 2;
  const int extra = ranks - inner;
  const int is_out = rank < 2 * extra && rank % 2 == 0; /* gives its vector to the next rank */
  const int seat = rank < 2 * extra ? rank / 2 : rank - extra;
  if (is_out) MPI_Send(result, count, type, rank + 1, tag, comm);
  if (rank < 2 * extra && !is_out) {
    MPI_Recv(other, count, type, rank - 1, tag, comm, MPI_STATUS_IGNORE);
    join(other, result, 1, count, type, op);
  }
  for (int distance = 1; distance < inner && !is_out; distance *= 2) {
    const int peer_seat = seat ^ distance;
    const int peer = peer_seat < extra ? 2 * peer_seat + 1 : peer_seat + extra;
    MPI_Sendrecv(result, count, type, peer, tag, other, count, type, peer, tag, comm, MPI_STATUS_IGNORE);
    join(other, result, peer < rank, count, type, op);
  }
  if (is_out) MPI_Recv(result, count, type, rank + 1, tag, comm, MPI_STATUS_IGNORE);
  if (rank < 2 * extra && !is_out) MPI_Send(result, count, type, rank - 1, tag, comm);
  free(room);
  return MPI_SUCCESS;
}
