/* Calls the function under test and writes down what it leaves.
 *
 * Arguments: the ledger, the largest number of bytes in it, a file of calls, the first call to make, and the seconds
 * that a call may take. With one argument, it tries what may hang; see probes.c. A line of that file is a call: a number for it, the collective and the layout, how the vector is
 * counted, the root, MPI_IN_PLACE or not, whether the operator commutes, how many positions there are, the communicator,
 * and the window and round of digits; and then for each rank after how many microseconds of the simulation it begins; and at last how many
 * variables of the environment are set, and those, NAME=value.
 * tested.h says what is called; it is written for each function.
 *
 * Names of variables are those of the arguments in call_texts.cpp. The function has a name of ours, whatever the user
 * calls it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ledger.h"
#include "tested.h"

int onceover_rank = -1;    /* in the communicator of the call */
MPI_Comm onceover_comm;    /* that of the call */
int onceover_records = 0;  /* is a call being made? */
void *onceover_outermost;  /* the frame from which it is made */
uint64_t onceover_adding;  /* the site of a reduction that the code makes itself; 0: none */

void onceover_probe(void);
void onceover_probe_starts(void);

extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));

struct call {
  int number, commutative, positions, communicator, window, round;
  struct onceover_call what;
};

static unsigned *onceover_delays; /* for each rank of the communicator */
static int onceover_ranks;
static const struct call *onceover_called;

static void *onceover_allocated(size_t bytes) {
  void *at = malloc(bytes > 0 ? bytes : 1);
  if (at == NULL) {
    fprintf(stderr, "onceover: out of memory\n");
    abort();
  }
  return at;
}

#if ONCEOVER_DIGITS
/* A number with a digit for the rank, one for the position, and one that counts; digits.h says why. */
typedef ONCEOVER_NUMBER onceover_value;

static onceover_value onceover_power(int exponent) {
  onceover_value power = 1;
  for (int k = 0; k < exponent; ++k) power *= 8;
  return power;
}

static onceover_value onceover_own(int position) {
  const int first = onceover_called->window * ONCEOVER_RANK_DIGITS;
  if (onceover_rank < first || onceover_rank >= first + ONCEOVER_RANK_DIGITS) return 0;
  for (int k = 0; k < onceover_called->round; ++k) position /= ONCEOVER_POSITION_DIGITS;
  const int shifted = position % ONCEOVER_POSITION_DIGITS + onceover_called->number % ONCEOVER_POSITION_DIGITS;
  return onceover_power(onceover_rank - first) +
         onceover_power(ONCEOVER_RANK_DIGITS + shifted % ONCEOVER_POSITION_DIGITS) +
         onceover_power(ONCEOVER_RANK_DIGITS + ONCEOVER_POSITION_DIGITS);
}

static onceover_value onceover_blank(void) { return ONCEOVER_BLANK; }

/* Numbers that no sum can be are written down as -1. */
static void onceover_write_result(const onceover_value *result, size_t elements) {
  int64_t *whole = (int64_t *)onceover_allocated(elements * sizeof *whole);
  for (size_t k = 0; k < elements; ++k) {
    const double number = (double)result[k];
    whole[k] = number >= 0 && number < 9007199254740992.0 ? (int64_t)result[k] : -1;
    if ((onceover_value)whole[k] != result[k]) whole[k] = -1;
  }
  onceover_log_numbers((uint32_t)onceover_rank, whole, elements);
  free(whole);
}
#else
typedef onceover_element onceover_value;

static onceover_value onceover_own(int position) {
  return onceover_leaf((uint32_t)onceover_rank, (uint32_t)position);
}

static onceover_value onceover_blank(void) { return onceover_unset((uint32_t)onceover_rank); }

static void onceover_write_result(const onceover_value *result, size_t elements) {
  onceover_log_result((uint32_t)onceover_rank, result, elements);
}
#endif

static onceover_value *onceover_new_buffer(const char *name, size_t elements) {
  const int ends_at_guard = onceover_called->number % 2 == 0;
  onceover_value *at = (onceover_value *)onceover_new_guarded((uint32_t)onceover_rank, name,
                                                              elements * sizeof *at, ends_at_guard);
  for (size_t k = 0; k < elements; ++k) at[k] = onceover_blank();
  return at;
}

static void onceover_operator(void *left, void *right, int *length, MPI_Datatype *type) {
  int size;
  PMPI_Type_size(*type, &size);
  onceover_join_all((uint32_t)onceover_rank, onceover_adding, left, right, (size_t)*length * (size_t)size / sizeof(onceover_element));
}

/* What the result buffer holds before the call. */
static void onceover_fill(onceover_value *result, size_t room) {
  int64_t *positions = (int64_t *)onceover_allocated(room * sizeof *positions);
  onceover_held_before(&onceover_called->what, onceover_rank, positions);
  for (size_t k = 0; k < room; ++k)
    if (positions[k] >= 0) result[k] = onceover_own((int)positions[k]);
  free(positions);
}

static void onceover_report(const char *text) { onceover_log_fault((uint32_t)onceover_rank, text); }

static int onceover_is_unchanged(const onceover_value *given, size_t count) {
  for (size_t k = 0; k < count; ++k)
    if (given[k] != onceover_own((int)k)) return 0;
  return 1;
}

static void onceover_check(int error, size_t input, const onceover_value *given, const onceover_value *result) {
  if (error != MPI_SUCCESS) {
    char told[64];
    snprintf(told, sizeof told, "the function returns %d", error);
    onceover_report(told);
  }
  if (!onceover_is_untouched_around(result)) onceover_report("memory before or after the result was written");
  if (!onceover_is_untouched_around(given)) onceover_report("memory before or after the send buffer was written");
  if (!onceover_is_unchanged(given, input)) onceover_report("the send buffer was changed");
}

/* Counts, and where parts begin, as a collective takes them: what is sent to each, or what comes from each. Where they
 * don't count, there are none: at ranks other than the root. */
struct parts {
  int *counts, *begins;
};

static struct parts onceover_parts_of(const struct call *call, int is_sent) {
  const size_t bytes = (size_t)onceover_ranks * sizeof(int);
  struct parts parts = {NULL, NULL};
  if (!ONCEOVER_TAKES_COUNTS || (ONCEOVER_HAS_ROOT && onceover_rank != call->what.root)) return parts;
  parts.counts = (int *)onceover_allocated(bytes);
  parts.begins = (int *)onceover_allocated(bytes);
  onceover_parts(&call->what, onceover_rank, is_sent, parts.counts, parts.begins);
  return parts;
}

static void onceover_free_parts(struct parts parts) {
  free(parts.counts);
  free(parts.begins);
}

static void onceover_make(const struct call *call, MPI_Datatype type, MPI_Op op) {
  const size_t input = onceover_given(&call->what, onceover_rank), output = onceover_wanted(&call->what, onceover_rank);
  const size_t room = onceover_room(&call->what, onceover_rank);
  const int n = call->what.count, root = call->what.root;
  MPI_Comm comm = onceover_comm;
  onceover_called = call;
  onceover_lies_at((uint32_t)onceover_rank, &__ehdr_start, &_end);
  onceover_begin_call((uint32_t)onceover_rank, (uint32_t)call->number, (uint32_t)call->positions);
  onceover_value *given = onceover_new_buffer("send buffer", input), *result = onceover_new_buffer("result", room);
  for (size_t k = 0; k < input; ++k) given[k] = onceover_own((int)k);
  onceover_fill(result, room);
  const int is_in_place = call->what.in_place && (!ONCEOVER_HAS_ROOT || onceover_rank == root);
  const void *from = is_in_place ? MPI_IN_PLACE : given;
  void *to = result;
  /* Beside MPI_IN_PLACE, too, so that code that takes that for a buffer is seen to read it. */
  const int gives = (int)input, gets = (int)output;
  const struct parts sent = onceover_parts_of(call, 1), received = onceover_parts_of(call, 0);
  (void)n, (void)root, (void)type, (void)op, (void)comm, (void)from, (void)to, (void)gives, (void)gets;
  onceover_outermost = __builtin_frame_address(0);
  onceover_records = 1;
  int onceover_error = MPI_SUCCESS;
  ONCEOVER_CALL;
  onceover_records = 0;
  onceover_check(onceover_error, input, given, result);
  onceover_write_result(result, output);
  onceover_free_parts(sent);
  onceover_free_parts(received);
  onceover_free_guarded(given);
  onceover_free_guarded(result);
}

/* No rank is inside a call then, so all may share the variables. */
static int onceover_read_environment(FILE *file) {
  char variable[256];
  int count;
  if (fscanf(file, "%d", &count) != 1) return 0;
  for (; count > 0; --count) {
    if (fscanf(file, "%255s", variable) != 1) return 0;
    char *value = strchr(variable, '=');
    if (value == NULL) return 0;
    *value = '\0';
    setenv(variable, value + 1, 1);
  }
  return 1;
}

static int onceover_read_call(FILE *file, struct call *call) {
  struct onceover_call *what = &call->what;
  what->ranks = onceover_ranks;
  if (fscanf(file, "%d %d %d %d %d %d %d %d %d %d %d", &call->number, &what->kind, &what->layout, &what->count,
             &what->root, &what->in_place, &call->commutative, &call->positions, &call->communicator, &call->window,
             &call->round) != 11)
    return 0;
  for (int r = 0; r < onceover_ranks; ++r)
    if (fscanf(file, "%u", &onceover_delays[r]) != 1) return 0;
  return onceover_read_environment(file);
}

/* Numbers are those of Communicator in simulator.h. All ranks make one when the first call asks for it. */
static MPI_Comm onceover_communicator(int number) {
  static MPI_Comm made[3];
  static int is_made[3];
  if (number == 0) return MPI_COMM_WORLD;
  if (!is_made[number]) {
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_split(MPI_COMM_WORLD, 0, number == 1 ? rank : -rank, &made[number]);
    is_made[number] = 1;
  }
  return made[number];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_rank(MPI_COMM_WORLD, &onceover_rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &onceover_ranks);
  if (argc == 2) {
    onceover_probe_starts();
    PMPI_Finalize();
    return 0;
  }
  if (argc != 6) return 2;
  onceover_open(argv[1], (uint32_t)onceover_ranks, strtoull(argv[2], NULL, 10));
  onceover_delays = (unsigned *)onceover_allocated((size_t)onceover_ranks * sizeof *onceover_delays);
  FILE *calls = fopen(argv[3], "r");
  if (calls == NULL) return 2;
  const int first = atoi(argv[4]);
  const unsigned seconds = (unsigned)atoi(argv[5]);
  MPI_Datatype element = ONCEOVER_ELEMENT;
#if ONCEOVER_NEEDS_TYPE
  PMPI_Type_contiguous(sizeof(onceover_element), MPI_BYTE, &element);
  PMPI_Type_commit(&element);
#endif
#if ONCEOVER_ADDS_NUMBERS
  onceover_has_numbers();
#endif
  onceover_probe();
  /* A communicator of its own, so that what the code leaves behind on its own meets nothing of ours. */
  MPI_Comm between_calls;
  PMPI_Comm_dup(MPI_COMM_WORLD, &between_calls);
  struct call call;
  while (onceover_read_call(calls, &call)) {
    if (call.number < first) continue;
    onceover_comm = onceover_communicator(call.communicator);
    PMPI_Comm_rank(onceover_comm, &onceover_rank);
    MPI_Op op = MPI_SUM;
#if ONCEOVER_NEEDS_OPERATOR
    PMPI_Op_create(onceover_operator, call.commutative, &op);
#else
    (void)onceover_operator;
#endif
    if (onceover_delays[onceover_rank] > 0) usleep(onceover_delays[onceover_rank]);
    alarm(seconds);
    onceover_make(&call, element, op);
    PMPI_Barrier(between_calls);
  }
  onceover_log_end((uint32_t)onceover_rank);
  fclose(calls);
  PMPI_Barrier(between_calls);
  PMPI_Finalize();
  return 0;
}
