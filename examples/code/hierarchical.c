/* Allreduce in two levels: the ranks of a host reduce to their leader, the leaders reduce among themselves, and the sum
   goes the same way back.

   Both levels are binomial trees, so it works for every number of hosts, and of ranks on each. If there is one host,
   the leaders are one rank. The operator must commute, as hosts may have ranks that are not consecutive. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 81, BACK_TAG = 82 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char *sum, *incoming;
  int count;
  MPI_Datatype type;
  MPI_Op op;
} work_t;

/* The sum of all ranks of comm to its rank 0. */
static int reduce_to_first(const work_t* w, MPI_Comm comm) {
  int rank, p;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  for (int distance = 1; distance < p; distance *= 2) {
    if (rank & distance) return MPI_Send(w->sum, w->count, w->type, rank - distance, TAG, comm);
    if (rank + distance >= p) continue;
    CHECK(MPI_Recv(w->incoming, w->count, w->type, rank + distance, TAG, comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Reduce_local(w->incoming, w->sum, w->count, w->type, w->op));
  }
  return MPI_SUCCESS;
}

/* The vector of rank 0 of comm to all of its ranks. */
static int broadcast_from_first(const work_t* w, MPI_Comm comm) {
  int rank, p, distance = 1;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  while (distance < p) distance *= 2;
  for (distance /= 2; distance > 0; distance /= 2) {
    int place = rank % (2 * distance);
    if (place == 0 && rank + distance < p) CHECK(MPI_Send(w->sum, w->count, w->type, rank + distance, BACK_TAG, comm));
    if (place == distance)
      CHECK(MPI_Recv(w->sum, w->count, w->type, rank - distance, BACK_TAG, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

/* `leaders` is MPI_COMM_NULL on ranks that are no leaders. */
static int two_levels(const work_t* w, MPI_Comm host, MPI_Comm leaders) {
  CHECK(reduce_to_first(w, host));
  if (leaders != MPI_COMM_NULL) {
    CHECK(reduce_to_first(w, leaders));
    CHECK(broadcast_from_first(w, leaders));
  }
  return broadcast_from_first(w, host);
}

static int reduce_all(const work_t* w, MPI_Comm comm) {
  int rank, place, error;
  MPI_Comm host, leaders;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host));
  CHECK(MPI_Comm_rank(host, &place));
  CHECK(MPI_Comm_split(comm, place == 0 ? 0 : MPI_UNDEFINED, rank, &leaders));
  error = two_levels(w, host, leaders);
  if (leaders != MPI_COMM_NULL) CHECK(MPI_Comm_free(&leaders));
  CHECK(MPI_Comm_free(&host));
  return error;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int error;
  MPI_Aint lower_bound, extent;
  CHECK(MPI_Type_get_extent(type, &lower_bound, &extent));
  if (count == 0) return MPI_SUCCESS;
  size_t bytes = (size_t)(count * extent);
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, bytes);

  work_t w = {(char*)recvbuf, (char*)malloc(bytes), count, type, op};
  if (w.incoming == NULL) return MPI_ERR_NO_MEM;
  error = reduce_all(&w, comm);
  free(w.incoming);
  return error;
}
