/* Allreduce on a ring: p - 1 steps in which sums grow, then p - 1 steps that pass the finished sums on.

   The vector is cut into p blocks. In each step, every rank sends one block to the right and receives one from the
   left. It sends 2 (p - 1) / p vectors in all. The operator must commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 11 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char* data;
  int count, blocks;
  MPI_Datatype type;
  MPI_Aint extent;
} vector_t;

/* The first element of a block; `blocks` gives the end of the vector. */
static int begin_of(const vector_t* v, int block) {
  return (int)((long long)v->count * block / v->blocks);
}

static int size_of(const vector_t* v, int block) {
  return begin_of(v, block + 1) - begin_of(v, block);
}

static char* at(const vector_t* v, int block) {
  return v->data + begin_of(v, block) * v->extent;
}

static int reduce_scatter(const vector_t* v, char* incoming, int rank, MPI_Op op, MPI_Comm comm) {
  int p = v->blocks, right = (rank + 1) % p, left = (rank + p - 1) % p;
  for (int step = 0; step < p - 1; step++) {
    int out = (rank - step + p) % p, in = (rank - step - 1 + p) % p;
    CHECK(MPI_Sendrecv(at(v, out), size_of(v, out), v->type, right, TAG, incoming, size_of(v, in), v->type, left, TAG,
                       comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Reduce_local(incoming, at(v, in), size_of(v, in), v->type, op));
  }
  return MPI_SUCCESS;
}

/* Rank r begins with block r + 1 finished. */
static int allgather(const vector_t* v, int rank, MPI_Comm comm) {
  int p = v->blocks, next = (rank + 1) % p, previous = (rank + p - 1) % p;
  for (int sent = 0; sent < p - 1; sent++) {
    int out = (rank + 1 - sent + p) % p, in = (rank - sent + p) % p;
    CHECK(MPI_Sendrecv(at(v, out), size_of(v, out), v->type, next, TAG, at(v, in), size_of(v, in), v->type, previous,
                       TAG, comm, MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, error;
  MPI_Aint lower_bound;
  vector_t v = {(char*)recvbuf, count, 0, type, 0};
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &v.blocks));
  CHECK(MPI_Type_get_extent(type, &lower_bound, &v.extent));
  if (count == 0) return MPI_SUCCESS;
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, (size_t)(count * v.extent));

  char* incoming = (char*)malloc((size_t)((count / v.blocks + 1) * v.extent));
  if (incoming == NULL) return MPI_ERR_NO_MEM;
  error = reduce_scatter(&v, incoming, rank, op, comm);
  if (error == MPI_SUCCESS) error = allgather(&v, rank, comm);
  free(incoming);
  return error;
}
