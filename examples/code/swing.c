/* Swing's allreduce for long vectors: a reduce-scatter of ceil(log2(p)) steps, then an allgather, its time reversal.

   In step s, even ranks swing by rho(s) = 1, -1, 3, -5, 11, .. and odd ranks by -rho(s). A rank sends its partner the
   blocks that the partner's later steps lead to. If p is no power of two, a block may come up in several steps, and is
   sent in the last of them. If p is odd, the last rank exchanges a block with each of the others instead.
   The operator must commute. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 51, LAST_TAG = 52 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

typedef struct {
  char *vector, *out, *in;   /* `out` and `in` hold the blocks of a message, one after the other */
  int *mine, *theirs;        /* when a rank sends each block */
  int count, p, even, steps; /* `even` ranks swing, p or p - 1 */
  MPI_Datatype type;
  MPI_Aint extent;
  MPI_Op op;
  MPI_Comm comm;
} work_t;

static int begin_of(const work_t* w, int block) {
  return (int)((long long)w->count * block / w->p);
}

static int size_of(const work_t* w, int block) {
  return begin_of(w, block + 1) - begin_of(w, block);
}

static char* at(const work_t* w, int block) {
  return w->vector + begin_of(w, block) * w->extent;
}

static int partner(const work_t* w, int rank, int step) {
  int rho = 1;
  for (int s = 0; s < step; s++) rho = 1 - 2 * rho;
  int peer = rank % 2 == 0 ? rank + rho : rank - rho;
  return ((peer % w->even) + w->even) % w->even;
}

/* The blocks of a rank, and of those to which its steps from `step` on lead, are sent `when`. */
static void mark(const work_t* w, int rank, int step, int when, int* sent) {
  sent[rank] = when;
  for (; step < w->steps; step++) mark(w, partner(w, rank, step), step + 1, when, sent);
}

/* sent[b] = the step in which the rank sends block b, the last one in which it comes up; -1 for its own block. */
static void plan(const work_t* w, int rank, int* sent) {
  for (int b = 0; b < w->even; b++) sent[b] = -1;
  for (int step = 0; step < w->steps; step++) mark(w, partner(w, rank, step), step + 1, step, sent);
  sent[rank] = -1;
}

/* Copies the blocks of a step to a buffer, and returns how many elements they have. */
static int pack(const work_t* w, const int* sent, int step, char* to) {
  int n = 0;
  for (int b = 0; b < w->even; b++) {
    if (sent[b] != step) continue;
    memcpy(to + n * w->extent, at(w, b), (size_t)(size_of(w, b) * w->extent));
    n += size_of(w, b);
  }
  return n;
}

static int count_of(const work_t* w, const int* sent, int step) {
  int n = 0;
  for (int b = 0; b < w->even; b++) n += sent[b] == step ? size_of(w, b) : 0;
  return n;
}

/* Adds the blocks of a step to one's own, or puts them in their place. */
static int unpack(const work_t* w, const int* sent, int step, char* from, int reduces) {
  for (int b = 0; b < w->even; b++) {
    if (sent[b] != step) continue;
    if (reduces) CHECK(MPI_Reduce_local(from, at(w, b), size_of(w, b), w->type, w->op));
    if (!reduces) memcpy(at(w, b), from, (size_t)(size_of(w, b) * w->extent));
    from += size_of(w, b) * w->extent;
  }
  return MPI_SUCCESS;
}

/* Gives the partner the blocks of the step in `given`, and gets those in `taken`. */
static int exchange(const work_t* w, int peer, int step, const int* given, const int* taken, int reduces) {
  int n = pack(w, given, step, w->out), m = count_of(w, taken, step);
  CHECK(MPI_Sendrecv(w->out, n, w->type, peer, TAG, w->in, m, w->type, peer, TAG, w->comm, MPI_STATUS_IGNORE));
  return unpack(w, taken, step, w->in, reduces);
}

static int swing(const work_t* w, int rank) {
  plan(w, rank, w->mine);
  for (int step = 0; step < w->steps; step++) {
    int peer = partner(w, rank, step);
    plan(w, peer, w->theirs);
    CHECK(exchange(w, peer, step, w->mine, w->theirs, 1));
  }
  for (int back = w->steps - 1; back >= 0; back--) {
    int peer = partner(w, rank, back);
    plan(w, peer, w->theirs);
    CHECK(exchange(w, peer, back, w->theirs, w->mine, 0));
  }
  return MPI_SUCCESS;
}

/* With an odd number of ranks: block `given` goes to `peer`, which sends block `taken`. */
static int with_last(const work_t* w, int peer, int given, int taken, int reduces) {
  char* to = reduces ? w->in : at(w, taken);
  CHECK(MPI_Sendrecv(at(w, given), size_of(w, given), w->type, peer, LAST_TAG, to, size_of(w, taken), w->type, peer,
                     LAST_TAG, w->comm, MPI_STATUS_IGNORE));
  return reduces ? MPI_Reduce_local(w->in, at(w, taken), size_of(w, taken), w->type, w->op) : MPI_SUCCESS;
}

static int reduce_all(const work_t* w, int rank) {
  int last = w->p - 1;
  if (w->even == w->p) return swing(w, rank);
  if (rank == last) {
    for (int r = 0; r < last; r++) CHECK(with_last(w, r, r, last, 1));
    for (int r = 0; r < last; r++) CHECK(with_last(w, r, last, r, 0));
    return MPI_SUCCESS;
  }
  CHECK(with_last(w, last, last, rank, 1));
  CHECK(swing(w, rank));
  return with_last(w, last, rank, last, 0);
}

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, error = MPI_ERR_NO_MEM;
  MPI_Aint lower_bound;
  work_t w = {(char*)recvbuf, NULL, NULL, NULL, NULL, count, 1, 1, 0, type, 0, op, comm};
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &w.p));
  CHECK(MPI_Type_get_extent(type, &lower_bound, &w.extent));
  size_t bytes = (size_t)(count * w.extent);
  if (sendbuf != MPI_IN_PLACE) memcpy(recvbuf, sendbuf, bytes);
  if (count == 0 || w.p == 1) return MPI_SUCCESS;
  w.even = w.p - w.p % 2;
  while (1 << w.steps < w.even) w.steps++;

  w.out = (char*)malloc(bytes);
  w.in = (char*)malloc(bytes);
  w.mine = (int*)malloc((size_t)w.p * sizeof(int));
  w.theirs = (int*)malloc((size_t)w.p * sizeof(int));
  if (w.out && w.in && w.mine && w.theirs) error = reduce_all(&w, rank);
  free(w.out);
  free(w.in);
  free(w.mine);
  free(w.theirs);
  return error;
}
