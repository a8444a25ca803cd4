/* Rabenseifner's allreduce: a reduce-scatter by recursive halving, then an allgather by recursive doubling.

   Partners split the range of elements that they hold: each sends the half that it gives up, and adds what it gets to
   the half that it keeps. The allgather goes the same way back. If p is no power of two, the first ranks are folded in
   pairs before, and get the result after. The operator must commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 31, FOLD_TAG = 32 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char *vector, *incoming;
  int count;
  MPI_Datatype type;
  MPI_Aint extent;
  MPI_Op op;
  MPI_Comm comm;
} work_t;

/* Elements low .. high-1; the lower half has low .. middle-1. */
typedef struct {
  int low, middle, high;
} range_t;

static range_t range(int low, int high) {
  range_t r = {low, low + (high - low) / 2, high};
  return r;
}

/* Recursive halving from `distance` down, and back. Ranks that were not folded away have seats from 0 on. */
static int halve_and_double(const work_t* w, range_t r, int seat, int distance, int extra) {
  if (distance == 0) return MPI_SUCCESS;
  int other = seat ^ distance;
  int peer = other < extra ? 2 * other + 1 : other + extra;
  int keeps_upper = (seat & distance) != 0;
  range_t kept = keeps_upper ? range(r.middle, r.high) : range(r.low, r.middle);
  range_t given = keeps_upper ? range(r.low, r.middle) : range(r.middle, r.high);
  char *kept_data = w->vector + kept.low * w->extent, *given_data = w->vector + given.low * w->extent;
  int kept_count = kept.high - kept.low, given_count = given.high - given.low;

  CHECK(MPI_Sendrecv(given_data, given_count, w->type, peer, TAG, w->incoming, kept_count, w->type, peer, TAG, w->comm,
                     MPI_STATUS_IGNORE));
  CHECK(MPI_Reduce_local(w->incoming, kept_data, kept_count, w->type, w->op));
  CHECK(halve_and_double(w, kept, seat, distance / 2, extra));
  return MPI_Sendrecv(kept_data, kept_count, w->type, peer, TAG, given_data, given_count, w->type, peer, TAG, w->comm,
                      MPI_STATUS_IGNORE);
}

static int reduce_all(const work_t* w, int rank, int p) {
  int power = 1;
  while (2 * power <= p) power *= 2;
  int extra = p - power; /* so many pairs 0 and 1, 2 and 3, .. */
  int is_paired = rank < 2 * extra;

  if (is_paired && rank % 2 == 0) {
    CHECK(MPI_Send(w->vector, w->count, w->type, rank + 1, FOLD_TAG, w->comm));
    return MPI_Recv(w->vector, w->count, w->type, rank + 1, FOLD_TAG, w->comm, MPI_STATUS_IGNORE);
  }
  if (is_paired) {
    CHECK(MPI_Recv(w->incoming, w->count, w->type, rank - 1, FOLD_TAG, w->comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Reduce_local(w->incoming, w->vector, w->count, w->type, w->op));
  }
  int seat = is_paired ? rank / 2 : rank - extra;
  CHECK(halve_and_double(w, range(0, w->count), seat, power / 2, extra));
  if (is_paired) CHECK(MPI_Send(w->vector, w->count, w->type, rank - 1, FOLD_TAG, w->comm));
  return MPI_SUCCESS;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, error;
  MPI_Aint lower_bound;
  work_t w = {(char*)recvbuf, NULL, count, type, 0, op, comm};
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  CHECK(MPI_Type_get_extent(type, &lower_bound, &w.extent));
  if (count == 0) return MPI_SUCCESS;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)(count * w.extent));

  w.incoming = (char*)malloc((size_t)(count * w.extent));
  if (w.incoming == NULL) return MPI_ERR_NO_MEM;
  error = reduce_all(&w, rank, p);
  free(w.incoming);
  return error;
}
