/* Judges a collective of examples/code by plain numbers, under any MPI: judge COUNT.. ends with the line "judge: pass",
   or with "judge: FAIL" and what is wrong.

   Compile it with the file under test and -DIS_ALLREDUCE, -DIS_REDUCE or -DIS_ALLGATHER; -DELEMENT=double for one that
   adds doubles itself.

   Element k of rank r is k * 2^32, and 16^(r - w) besides if r is in the window of ranks w .. w+7. There is a call for
   each window. So a sum has a digit for each rank of the window, which counts its contributions up to 15, and p * k
   above. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ELEMENT
#define ELEMENT int64_t
#endif
typedef ELEMENT element_t;

int my_allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int my_reduce(const void*, void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
int my_allgather(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);

enum { WINDOW = 8, GUARD = 77 };

typedef struct {
  int rank, p, count, root, window, in_place;
} call_t;

static element_t given(const call_t* c, int rank, int k) {
  int digit = rank - c->window;
  return (element_t)(((int64_t)k << 32) + (digit >= 0 && digit < WINDOW ? (int64_t)1 << (4 * digit) : 0));
}

/* What a rank's result must hold at k; the result has length(c) elements. */
#ifdef IS_ALLGATHER
static int length(const call_t* c) {
  return c->p * c->count;
}
static element_t due(const call_t* c, int k) {
  return given(c, k / c->count, k % c->count);
}
static int own_place(const call_t* c) {
  return c->rank * c->count;
}
#else
static int length(const call_t* c) {
  return c->count;
}
static element_t due(const call_t* c, int k) {
  element_t sum = 0;
  for (int r = 0; r < c->p; r++) sum += given(c, r, k);
  return sum;
}
static int own_place(const call_t* c) {
  return 0 * c->rank;
}
#endif

static int call(const call_t* c, const void* from, void* to) {
  MPI_Datatype type = sizeof(element_t) == sizeof(double) && (element_t)0.5 != 0 ? MPI_DOUBLE : MPI_INT64_T;
#if defined(IS_ALLREDUCE)
  return my_allreduce(from, to, c->count, type, MPI_SUM, MPI_COMM_WORLD);
#elif defined(IS_REDUCE)
  return my_reduce(from, to, c->count, type, MPI_SUM, c->root, MPI_COMM_WORLD);
#elif defined(IS_ALLGATHER)
  return my_allgather(from, c->count, type, to, c->count, type, MPI_COMM_WORLD);
#endif
}

/* What is wrong with a call on this rank; NULL if nothing. */
static const char* fault(const call_t* c) {
#ifdef IS_REDUCE
  int has_result = c->rank == c->root;
#else
  int has_result = 1;
#endif
  int n = length(c), in_place = c->in_place && has_result;
  element_t *send = calloc((size_t)c->count + 1, sizeof *send), *room = calloc((size_t)n + 2, sizeof *room);
  element_t* result = room + 1;
  const char* what = NULL;
  room[0] = result[n] = GUARD;
  for (int k = 0; k < c->count; k++) send[k] = given(c, c->rank, k);
  if (in_place) memcpy(result + own_place(c), send, (size_t)c->count * sizeof *send);
  if (call(c, in_place ? MPI_IN_PLACE : send, has_result ? result : NULL) != MPI_SUCCESS) what = "returns an error";
  for (int k = 0; k < n && has_result; k++)
    if (result[k] != due(c, k)) what = "a wrong result";
  for (int k = 0; k < c->count; k++)
    if (send[k] != given(c, c->rank, k)) what = "the send buffer was changed";
  if (room[0] != GUARD || result[n] != GUARD) what = "memory beside the result was written";
  free(send);
  free(room);
  return what;
}

/* The verdict of rank 0 is that of all ranks; plain messages, and a barrier so that none ends early. */
static int all_are_right(const call_t* c, const char* what) {
  int right = what == NULL;
  if (what) printf("p = %d, count %d, rank %d%s: %s\n", c->p, c->count, c->rank, c->in_place ? ", in place" : "", what);
  for (int r = 1; r < c->p; r++) {
    int other = right;
    if (c->rank == r) MPI_Send(&right, 1, MPI_INT, 0, 30000, MPI_COMM_WORLD);
    if (c->rank == 0) MPI_Recv(&other, 1, MPI_INT, r, 30000, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    right = right && other;
  }
  MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return right;
}

int main(int argc, char** argv) {
  call_t c = {0, 0, 0, 0, 0, 0};
  int right = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &c.p);
  for (int a = 1; a < argc && right; a++)
    for (c.in_place = 0; c.in_place < 2 && right; c.in_place++)
      for (c.window = 0; c.window < c.p && right; c.window += WINDOW) {
        c.count = atoi(argv[a]);
        c.root = (c.root + 1) % c.p;
        right = all_are_right(&c, fault(&c));
      }
  if (c.rank == 0) printf("judge: %s\n", right ? "pass" : "FAIL");
  MPI_Finalize();
  return right ? 0 : 1;
}
