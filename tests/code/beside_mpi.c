/* Judges a collective by calling the MPI's own beside it, with the same arguments: what both leave must be equal,
   byte for byte, also where nothing may be written. Ends with "beside: pass" or "beside: FAIL" and the call.

   Compile it with the file under test and -DCOLLECTIVE_allreduce, _gatherv, .. Elements are random 64-bit integers and
   sums wrap around, so a wrong sum is equal to a right one once in 2^64 times. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE MPI_UINT64_T
typedef uint64_t element_t;

enum { LAYOUTS = 6, GUARD = 7 };

/* A generator that all ranks share, so that they agree on layouts (splitmix64). */
static uint64_t state;
static uint64_t random_number(void) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
static int below(int n) {
  return (int)(random_number() % (uint64_t)n);
}

typedef struct {
  MPI_Comm comm;
  int rank, p, count, root, in_place, layout;
  int* matrix; /* [src * p + dst], elements from src to dst */
  int *sendcounts, *sdispls, *recvcounts, *rdispls;
  int send_length, recv_length;
} call_t;

/* Displacements for counts: in a random order, with holes. Returns the length. */
static int place(int p, const int* counts, int* displs) {
  int order[64], at = below(3);
  for (int k = 0; k < p; k++) order[k] = k;
  for (int k = p - 1; k > 0; k--) {
    int other = below(k + 1), kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
  for (int k = 0; k < p; k++) {
    displs[order[k]] = at;
    at += counts[order[k]] + below(3);
  }
  return at;
}

/* One argument list for each kind; the same numbers are drawn on each rank. */
static void lay_out(call_t* c) {
  int p = c->p;
  state = (uint64_t)(c->layout * 1000003 + c->count * 131 + c->root);
  for (int s = 0; s < p; s++)
    for (int d = 0; d < p; d++) c->matrix[s * p + d] = c->count == 0 ? 0 : below(3) == 0 ? 0 : below(2 * c->count + 1);
  if (c->in_place)
    for (int s = 0; s < p; s++)
      for (int d = 0; d < s; d++) c->matrix[s * p + d] = c->matrix[d * p + s];
  for (int r = 0; r < p; r++) {
    int lists[4][64], lengths[2];
    for (int k = 0; k < p; k++) {
      lists[0][k] = c->matrix[r * p + k];
      lists[1][k] = c->matrix[k * p + r];
    }
    lengths[0] = place(p, lists[0], lists[2]);
    lengths[1] = place(p, lists[1], lists[3]);
    if (r != c->rank) continue;
    memcpy(c->sendcounts, lists[0], (size_t)p * sizeof(int));
    memcpy(c->recvcounts, lists[1], (size_t)p * sizeof(int));
    memcpy(c->sdispls, lists[2], (size_t)p * sizeof(int));
    memcpy(c->rdispls, lists[3], (size_t)p * sizeof(int));
    c->send_length = lengths[0];
    c->recv_length = lengths[1];
  }
}

/* The counts of collectives with one list: that of rank 0's row. */
static const int* shares(const call_t* c) {
  return c->matrix;
}
__attribute__((unused)) static int total(const call_t* c) {
  int sum = 0;
  for (int r = 0; r < c->p; r++) sum += shares(c)[r];
  return sum;
}

/* `ours` calls the function under test, else the MPI's. Lengths of the buffers are those of `lengths`. */
#define BOTH(name, mpi, ...) (ours ? name(__VA_ARGS__) : mpi(__VA_ARGS__))

#if defined(COLLECTIVE_allreduce)
int my_allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_allreduce, MPI_Allreduce, s, r, c->count, TYPE, MPI_SUM, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_reduce)
int my_reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_reduce, MPI_Reduce, s, c->rank == c->root ? r : NULL, c->count, TYPE, MPI_SUM, c->root, c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 2 };
#elif defined(COLLECTIVE_bcast)
int my_bcast(void*, int, MPI_Datatype, int, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  if (c->rank == c->root && s != MPI_IN_PLACE) memcpy(r, s, (size_t)c->count * sizeof(element_t));
  return BOTH(my_bcast, MPI_Bcast, r, c->count, TYPE, c->root, c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 0 };
#elif defined(COLLECTIVE_allgather)
int my_allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->count;
  c->recv_length = c->p * c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_allgather, MPI_Allgather, s, c->count, TYPE, r, c->count, TYPE, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_allgatherv)
int my_allgatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, MPI_Comm);
static int displs[64];
static void lengths(call_t* c) {
  state = (uint64_t)(c->layout + 77);
  c->recv_length = place(c->p, shares(c), displs);
  c->send_length = shares(c)[c->rank];
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_allgatherv, MPI_Allgatherv, s, shares(c)[c->rank], TYPE, r, shares(c), displs, TYPE, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_gather)
int my_gather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->count;
  c->recv_length = c->p * c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  int at_root = c->rank == c->root;
  return BOTH(my_gather, MPI_Gather, s, c->count, TYPE, at_root ? r : NULL, at_root ? c->count : 0, TYPE, c->root,
              c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 2 };
#elif defined(COLLECTIVE_gatherv)
int my_gatherv(const void*, int, MPI_Datatype, void*, const int[], const int[], MPI_Datatype, int, MPI_Comm);
static int displs[64];
static void lengths(call_t* c) {
  state = (uint64_t)(c->layout + 78);
  c->recv_length = place(c->p, shares(c), displs);
  c->send_length = shares(c)[c->rank];
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  int at_root = c->rank == c->root;
  return BOTH(my_gatherv, MPI_Gatherv, s, shares(c)[c->rank], TYPE, at_root ? r : NULL, at_root ? shares(c) : NULL,
              at_root ? displs : NULL, TYPE, c->root, c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 2 };
#elif defined(COLLECTIVE_scatter)
int my_scatter(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->p * c->count;
  c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  int at_root = c->rank == c->root;
  return BOTH(my_scatter, MPI_Scatter, at_root ? s : NULL, c->count, TYPE, r, c->count, TYPE, c->root, c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 0 };
#elif defined(COLLECTIVE_scatterv)
int my_scatterv(const void*, const int[], const int[], MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
static int displs[64];
static void lengths(call_t* c) {
  state = (uint64_t)(c->layout + 79);
  c->send_length = place(c->p, shares(c), displs);
  c->recv_length = shares(c)[c->rank];
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  int at_root = c->rank == c->root;
  return BOTH(my_scatterv, MPI_Scatterv, at_root ? s : NULL, at_root ? shares(c) : NULL, at_root ? displs : NULL, TYPE,
              r, shares(c)[c->rank], TYPE, c->root, c->comm);
}
enum { HAS_ROOT = 1, HAS_IN_PLACE = 0 };
#elif defined(COLLECTIVE_alltoall)
int my_alltoall(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->p * c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_alltoall, MPI_Alltoall, s, c->count, TYPE, r, c->count, TYPE, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_alltoallv)
int my_alltoallv(const void*, const int[], const int[], MPI_Datatype, void*, const int[], const int[], MPI_Datatype,
                 MPI_Comm);
static void lengths(call_t* c) {
  (void)c;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_alltoallv, MPI_Alltoallv, s, c->sendcounts, c->sdispls, TYPE, r, c->recvcounts, c->rdispls, TYPE,
              c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_reduce_scatter)
int my_reduce_scatter(const void*, void*, const int[], MPI_Datatype, MPI_Op, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = total(c);
  c->recv_length = c->in_place ? total(c) : shares(c)[c->rank];
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_reduce_scatter, MPI_Reduce_scatter, s, r, shares(c), TYPE, MPI_SUM, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 3 };
#elif defined(COLLECTIVE_reduce_scatter_block)
int my_reduce_scatter_block(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->p * c->count;
  c->recv_length = c->in_place ? c->p * c->count : c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_reduce_scatter_block, MPI_Reduce_scatter_block, s, r, c->count, TYPE, MPI_SUM, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 3 };
#elif defined(COLLECTIVE_scan)
int my_scan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_scan, MPI_Scan, s, r, c->count, TYPE, MPI_SUM, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#elif defined(COLLECTIVE_exscan)
int my_exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
static void lengths(call_t* c) {
  c->send_length = c->recv_length = c->count;
}
static int call(const call_t* c, int ours, const void* s, void* r) {
  return BOTH(my_exscan, MPI_Exscan, s, r, c->count, TYPE, MPI_SUM, c->comm);
}
enum { HAS_ROOT = 0, HAS_IN_PLACE = 1 };
#endif

/* HAS_IN_PLACE: 1 all ranks at once; 2 the root alone; 3 all, and only the rank's share of the result is defined. */
static int is_in_place(const call_t* c) {
  return c->in_place && (HAS_IN_PLACE != 2 || c->rank == c->root);
}

/* How many elements of the result are defined in place, where the rest of the buffer may hold anything. */
static int defined_length(const call_t* c) {
#if defined(COLLECTIVE_reduce_scatter)
  return shares(c)[c->rank];
#elif defined(COLLECTIVE_reduce_scatter_block)
  return c->count;
#else
  return c->recv_length;
#endif
}

static int is_right(call_t* c) {
  lay_out(c);
  lengths(c);
  size_t n = (size_t)c->recv_length + 2 * GUARD, m = (size_t)c->send_length + 1;
  element_t *ours = malloc(n * sizeof *ours), *theirs = malloc(n * sizeof *theirs);
  element_t *send = malloc(m * sizeof *send), *kept = malloc(m * sizeof *kept);
  state = (uint64_t)c->rank * 7919 + 12345;
  for (size_t k = 0; k < n; k++) ours[k] = theirs[k] = random_number();
  for (size_t k = 0; k < m; k++) send[k] = kept[k] = random_number();
  const void* given = is_in_place(c) ? MPI_IN_PLACE : send;
  call(c, 0, given, theirs + GUARD);
  int done = call(c, 1, given, ours + GUARD) == MPI_SUCCESS;
  int equal = memcmp(ours, theirs, GUARD * sizeof *ours) == 0 &&
              memcmp(ours + GUARD + c->recv_length, theirs + GUARD + c->recv_length, GUARD * sizeof *ours) == 0 &&
              memcmp(ours + GUARD, theirs + GUARD, (size_t)defined_length(c) * sizeof *ours) == 0 &&
              memcmp(send, kept, m * sizeof *send) == 0;
  free(ours);
  free(theirs);
  free(send);
  free(kept);
  int right = done && equal, all = 0;
  if (!right)
    printf("rank %d of %d: count %d, root %d, layout %d%s%s\n", c->rank, c->p, c->count, c->root, c->layout,
           c->in_place ? ", in place" : "", done ? "" : ", returns an error");
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  int right = 1, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  for (int turned = 0; turned < 2 && right; turned++) {
    call_t c = {.comm = turned ? backwards : MPI_COMM_WORLD};
    MPI_Comm_rank(c.comm, &c.rank);
    MPI_Comm_size(c.comm, &c.p);
    int p = c.p, counts[] = {0, 1, p - 1, p, p + 1, 19, 3000};
    c.matrix = malloc((size_t)(p * p) * sizeof(int));
    int* lists = malloc(4 * (size_t)p * sizeof(int));
    c.sendcounts = lists, c.sdispls = lists + p, c.recvcounts = lists + 2 * p, c.rdispls = lists + 3 * p;
    for (int k = 0; k < 7 && right; k++)
      for (c.in_place = 0; c.in_place <= (HAS_IN_PLACE > 0) && right; c.in_place++)
        for (c.root = 0; c.root < (HAS_ROOT ? p : 1) && right; c.root++)
          for (c.layout = 0; c.layout < LAYOUTS && right; c.layout++) {
            c.count = counts[k];
            right = is_right(&c);
          }
    free(lists);
    free(c.matrix);
  }
  if (rank == 0) printf("beside: %s\n", right ? "pass" : "FAIL");
  MPI_Comm_free(&backwards);
  MPI_Finalize();
  return 0;
}
