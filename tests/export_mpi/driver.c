/* Calls exported allreduces, all those of one number of ranks, and checks what they do.
 *
 * Usage: mpirun -n P driver FOLDER
 * The functions are those of `exported`, which is linked in. Each is called for several counts, with MPI_IN_PLACE and
 * without, to add up ints and doubles, and to join terms: texts like ((0+1)+2) in a datatype with gaps. Each rank
 * writes the terms that it got into FOLDER/terms.RANK, a line for each call: function, count, how the operator was
 * declared (c: commutes, n: doesn't), and how many elements in a row hold which term: 2*(0+1).
 * What is wrong is printed, and the exit code is 1 then.
 */
#define _POSIX_C_SOURCE 200112L
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"

enum { TEXT = 64, HALF = TEXT / 2, MOST = 1000 };

/* Elements are STRIDE bytes apart. A text lies in two halves, with gaps before, between and behind. */
enum { FIRST_AT = 4, SECOND_AT = FIRST_AT + HALF + 3, LOWER = -4, STRIDE = TEXT + 16, GAP = 0x5a };

static int rank, ranks, mistakes;
static FILE* terms;
static MPI_Datatype term_type;

/* Lets others run while it waits, which MPICH doesn't: with more ranks than cores the tests take 20 times as long. */
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int code = MPI_SUCCESS, done = 0;
  while (!done && code == MPI_SUCCESS) {
    code = PMPI_Testall(count, requests, &done, statuses);
    if (!done) sched_yield();
  }
  return code;
}

static void expect(int is_right, const char* function, const char* what, int count) {
  if (is_right) return;
  ++mistakes;
  fprintf(stderr, "rank %d: %s: %s, count %d\n", rank, function, what, count);
}

static void get_text(const char* element, char* text) {
  memcpy(text, element + FIRST_AT, HALF);
  memcpy(text + HALF, element + SECOND_AT, HALF);
}

static void put_text(char* element, const char* text) {
  memcpy(element + FIRST_AT, text, HALF);
  memcpy(element + SECOND_AT, text + HALF, HALF);
}

static void join_terms(void* left, void* right, int* count, MPI_Datatype* type) {
  int k;
  (void)type;
  for (k = 0; k < *count; ++k) {
    char a[TEXT], b[TEXT], sum[3 * TEXT];
    get_text((const char*)left + k * STRIDE, a);
    get_text((const char*)right + k * STRIDE, b);
    memset(sum, 0, sizeof sum);
    snprintf(sum, sizeof sum, "(%.*s+%.*s)", TEXT - 1, a, TEXT - 1, b);
    if (strlen(sum) >= TEXT) MPI_Abort(MPI_COMM_WORLD, 1);
    put_text((char*)right + k * STRIDE, sum);
  }
}

static void make_term_type(void) {
  int lengths[2] = {HALF, HALF};
  MPI_Aint places[2] = {FIRST_AT, SECOND_AT};
  MPI_Datatype halves;
  MPI_Type_create_hindexed(2, lengths, places, MPI_CHAR, &halves);
  MPI_Type_create_resized(halves, LOWER, STRIDE, &term_type);
  MPI_Type_commit(&term_type);
  MPI_Type_free(&halves);
}

/* `after` is one more element, which nobody may touch. */
static void fill_terms(char* vector, int count, int are_leaves) {
  int k;
  memset(vector, GAP, (size_t)(count + 1) * STRIDE);
  for (k = 0; k < count && are_leaves; ++k) {
    char text[TEXT] = {0};
    snprintf(text, sizeof text, "%d", rank);
    put_text(vector + k * STRIDE, text);
  }
}

static void check_gaps(const char* vector, int count, const char* function) {
  int k, byte, clean = 1;
  for (k = 0; k <= count; ++k)
    for (byte = 0; byte < STRIDE; ++byte) {
      const int is_text =
          (byte >= FIRST_AT && byte < FIRST_AT + HALF) || (byte >= SECOND_AT && byte < SECOND_AT + HALF);
      if (k == count || !is_text) clean = clean && vector[k * STRIDE + byte] == GAP;
    }
  expect(clean, function, "wrote into gaps or behind the vector", count);
}

static void print_terms(const char* vector, int count, const char* function, char declared) {
  int k, equal = 1;
  fprintf(terms, "%s %d %c", function, count, declared);
  for (k = 0; k < count; ++k, ++equal) {
    char text[TEXT], next[TEXT] = {0};
    get_text(vector + k * STRIDE, text);
    if (k + 1 < count) get_text(vector + (k + 1) * STRIDE, next);
    if (memcmp(text, next, TEXT) == 0) continue;
    fprintf(terms, " %d*%s", equal, text);
    equal = 0;
  }
  fprintf(terms, "\n");
}

static void check_terms(const struct exported* f, int count, MPI_Op op, char declared, MPI_Comm comm) {
  static char send[(MOST + 1) * STRIDE], receive[(MOST + 1) * STRIDE], in_place[(MOST + 1) * STRIDE];
  int k, same = 1;
  fill_terms(send, count, 1);
  fill_terms(receive, count, 0);
  fill_terms(in_place, count, 1);
  expect(f->run(send, receive, count, term_type, op, comm) == MPI_SUCCESS, f->name, "failed", count);
  expect(f->run(MPI_IN_PLACE, in_place, count, term_type, op, comm) == MPI_SUCCESS, f->name, "failed in place", count);
  check_gaps(send, count, f->name);
  check_gaps(receive, count, f->name);
  check_gaps(in_place, count, f->name);
  for (k = 0; k < count; ++k) {
    char a[TEXT], b[TEXT];
    get_text(receive + k * STRIDE, a);
    get_text(in_place + k * STRIDE, b);
    same = same && memcmp(a, b, TEXT) == 0;
  }
  expect(same, f->name, "other terms in place", count);
  print_terms(receive, count, f->name, declared);
}

static void check_ints(const struct exported* f, int count, MPI_Comm comm) {
  static int send[MOST], receive[MOST], in_place[MOST];
  int k, right = 1;
  for (k = 0; k < count; ++k) send[k] = in_place[k] = rank * 7 + k;
  expect(f->run(send, receive, count, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, f->name, "failed", count);
  expect(f->run(MPI_IN_PLACE, in_place, count, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS, f->name, "failed", count);
  for (k = 0; k < count; ++k) {
    const int sum = 7 * ranks * (ranks - 1) / 2 + ranks * k;
    right = right && receive[k] == sum && in_place[k] == sum;
  }
  expect(right, f->name, "wrong sum of ints", count);
}

static void check_doubles(const struct exported* f, int count, MPI_Comm comm) {
  static double send[MOST], receive[MOST], in_place[MOST];
  int k, right = 1;
  for (k = 0; k < count; ++k) send[k] = in_place[k] = 0.5 * rank + k;
  expect(f->run(send, receive, count, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS, f->name, "failed", count);
  expect(f->run(MPI_IN_PLACE, in_place, count, MPI_DOUBLE, MPI_SUM, comm) == MPI_SUCCESS, f->name, "failed", count);
  for (k = 0; k < count; ++k) {
    const double sum = 0.25 * ranks * (ranks - 1) + (double)ranks * k;
    right = right && receive[k] == sum && in_place[k] == sum;
  }
  expect(right, f->name, "wrong sum of doubles", count);
}

static void join_nothing(void* left, void* right, int* count, MPI_Datatype* type) {
  (void)left;
  (void)right;
  (void)count;
  (void)type;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

/* As many elements as there may be, of no bytes: together a step's messages have more than an int counts. With scratch
   there would be more in memory than an int counts, which is refused. */
static void check_most(const struct exported* f, MPI_Comm comm) {
  char send[1] = {1}, receive[1] = {2};
  MPI_Datatype nothing;
  MPI_Op op;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Op_create(join_nothing, 1, &op);
  expect(class_of(f->run(send, receive, INT_MAX, nothing, op, comm)) == (f->has_scratch ? MPI_ERR_COUNT : MPI_SUCCESS),
         f->name, "failed, or took more than an int counts", INT_MAX);
  expect(receive[0] == 2, f->name, "wrote where nothing is", INT_MAX);
  MPI_Op_free(&op);
  MPI_Type_free(&nothing);
}

/* What is refused, or left to the library. */
static void check_refusals(const struct exported* f, MPI_Op in_order, MPI_Comm comm, MPI_Comm fewer) {
  char send[2 * STRIDE], receive[2 * STRIDE];
  int one = 1, sum = 0, code;
  fill_terms(send, 1, 1);
  fill_terms(receive, 1, 0);
  if (!f->keeps_order)
    expect(class_of(f->run(send, receive, 1, term_type, in_order, comm)) == MPI_ERR_OP, f->name,
           "took an operator that doesn't commute", 1);
  if (!f->is_interposed)
    expect(class_of(f->run(&one, &sum, -1, MPI_INT, MPI_SUM, comm)) == MPI_ERR_COUNT, f->name, "took a count", -1);
  if (ranks < 2) return;
  code = f->run(&one, &sum, 1, MPI_INT, MPI_SUM, fewer);
  if (f->is_interposed)
    expect(code == MPI_SUCCESS && sum == (rank == 0 ? 1 : ranks - 1), f->name, "wrong sum of fewer ranks", 1);
  else
    expect(class_of(code) == MPI_ERR_COMM, f->name, "took another number of ranks", 1);
}

static void check(const struct exported* f, MPI_Op any_order, MPI_Op in_order, MPI_Comm comm, MPI_Comm fewer) {
  const int counts[] = {0, 1, 3, ranks, MOST};
  int k;
  for (k = 0; k < 5; ++k) {
    if (k == 3 && ranks == 3) continue;
    check_ints(f, counts[k], comm);
    check_doubles(f, counts[k], comm);
    check_terms(f, counts[k], any_order, 'c', comm);
    if (f->keeps_order) check_terms(f, counts[k], in_order, 'n', comm);
  }
  check_most(f, comm);
  check_refusals(f, in_order, comm, fewer);
}

int main(int argc, char** argv) {
  char path[4096];
  MPI_Op any_order, in_order;
  MPI_Comm comm, fewer; /* rank 0 alone, and the others */
  int k, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(path, sizeof path, "%s/terms.%d", argc > 1 ? argv[1] : ".", rank);
  terms = fopen(path, "w");
  if (terms == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  make_term_type();
  MPI_Op_create(join_terms, 1, &any_order);
  MPI_Op_create(join_terms, 0, &in_order);
  /* A communicator that is freed, and the world, which isn't. */
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_split(comm, rank == 0, 0, &fewer);
  for (k = 0; k < exported_count; ++k) check(&exported[k], any_order, in_order, comm, fewer);
  check_ints(&exported[0], ranks, MPI_COMM_WORLD);
  MPI_Comm_free(&fewer);
  MPI_Comm_free(&comm);
  MPI_Op_free(&any_order);
  MPI_Op_free(&in_order);
  MPI_Type_free(&term_type);
  fclose(terms);
  MPI_Reduce(&mistakes, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return mistakes + all > 0;
}
