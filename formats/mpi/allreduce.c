#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank does with a message. All of a step happens at once: sends read what the rank held when the step began. */
enum act {
  SEND,
  SUM,  /* receives, then joins what came with what it holds */
  COPY, /* receives, then replaces what it holds */
  PLACE, /* receives where the blocks lie: the rank sends none of them in this step */
  SUM_AGAIN,  /* joins the first blocks of the message before with further ones */
  COPY_AGAIN, /* replaces further ones by them */
  SUM_OWN,    /* joins blocks with others of its own, which are list `peer` */
  COPY_OWN    /* replaces blocks by others of its own */
};

/* Where an arriving operand stands beside the held one, for operators that don't commute. */
enum side { LEFT, RIGHT };

/* Blocks first..last. A block from BLOCKS on is scratch, and alone in its run. */
struct run {
  int first, last;
  enum side side;
};

/* One end of a message, whose blocks are the runs from first_run[list] on, up to first_run[list + 1]. */
struct action {
  int step;
  enum act act;
  int peer;
  int list;
};

/* TABLES */
/* A call under way. Vectors are pointed at as MPI does it: element k is at k * extent, its first byte true_lb later. */
struct call {
  char* vector; /* what the rank holds: recvbuf, or with scratch memory of our own */
  int count;
  MPI_Datatype datatype;
  MPI_Aint extent, true_lb, true_extent;
  int is_dense; /* there are no bytes between those of the elements */
  MPI_Op op;
  int commutes;
  MPI_Comm comm; /* nobody else sends on it */
  int rank;
  MPI_Request requests[MOST_MESSAGES];
  MPI_Status statuses[MOST_MESSAGES];        /* some compilers take MPICH's MPI_STATUSES_IGNORE for a mistake */
  int starts[MOST_RUNS], lengths[MOST_RUNS]; /* of a message's runs, in elements */
  char* memory;                              /* what a step receives to be joined or copied */
  MPI_Aint memory_bytes;
  char* arrived; /* the same as a vector */
};

/* The first element of a block; of block BLOCKS, where the vector ends. Blocks differ by one element at most. Scratch
   blocks come after the vector, with room for the longest. */
static int start_of(const struct call* call, int block) {
  const int rest = call->count % BLOCKS, whole = call->count / BLOCKS;
  if (block > BLOCKS) return call->count + (block - BLOCKS) * (whole + (rest > 0));
  return block * whole + (block < rest ? block : rest);
}

/* A scratch block is as long as the block whose values it takes. */
static int length_of(const struct call* call, const struct run* run) {
  const int first = run->first < BLOCKS ? run->first : home[run->first - BLOCKS];
  const int last = run->last < BLOCKS ? run->last : first;
  return start_of(call, last + 1) - start_of(call, first);
}

static char* element(const struct call* call, char* vector, MPI_Aint index) {
  return vector + index * call->extent;
}

/* The runs of a list that have elements; returns how many. */
static int find_runs(struct call* call, int list) {
  int found = 0, r;
  for (r = first_run[list]; r < first_run[list + 1]; ++r) {
    const int start = start_of(call, runs[r].first), length = length_of(call, &runs[r]);
    if (length == 0) continue;
    if (found > 0 && call->starts[found - 1] + call->lengths[found - 1] == start) {
      call->lengths[found - 1] += length;
    } else {
      call->starts[found] = start;
      call->lengths[found++] = length;
    }
  }
  return found;
}

static int elements_of(const struct call* call, int list) {
  int elements = 0, r;
  for (r = first_run[list]; r < first_run[list + 1]; ++r) elements += length_of(call, &runs[r]);
  return elements;
}

static int post(const struct call* call, const struct action* a, char* at, int count, MPI_Datatype datatype,
                MPI_Request* request) {
  const int tag = a->step % 32768;
  return a->act == SEND ? MPI_Isend(at, count, datatype, a->peer, tag, call->comm, request)
                        : MPI_Irecv(at, count, datatype, a->peer, tag, call->comm, request);
}

/* One message to or from where the blocks lie. */
static int post_blocks(struct call* call, const struct action* a, MPI_Request* request) {
  const int found = find_runs(call, a->list);
  MPI_Datatype blocks;
  int code;
  if (found == 1)
    return post(call, a, element(call, call->vector, call->starts[0]), call->lengths[0], call->datatype, request);
  code = MPI_Type_indexed(found, call->lengths, call->starts, call->datatype, &blocks);
  if (code != MPI_SUCCESS) return code;
  code = MPI_Type_commit(&blocks);
  if (code == MPI_SUCCESS) code = post(call, a, call->vector, 1, blocks, request);
  MPI_Type_free(&blocks); /* goes when the message has gone */
  return code;
}

static int copy(const struct call* call, const char* from, char* to, int count) {
  if (call->is_dense) {
    if (call->extent > 0) memcpy(to + call->true_lb, from + call->true_lb, (size_t)(count * call->extent));
    return MPI_SUCCESS;
  }
  return MPI_Sendrecv(from, count, call->datatype, call->rank, 0, to, count, call->datatype, call->rank, 0, call->comm,
                      MPI_STATUS_IGNORE);
}

/* MPI_Reduce_local(a, b) makes b into a op b. */
static int join(const struct call* call, enum side side, char* arrived, char* held, int count) {
  int code;
  if (call->commutes || side == LEFT) return MPI_Reduce_local(arrived, held, count, call->datatype, call->op);
  code = MPI_Reduce_local(held, arrived, count, call->datatype, call->op);
  return code == MPI_SUCCESS ? copy(call, arrived, held, count) : code;
}

static int is_own(const struct action* a) {
  return a->act == SUM_OWN || a->act == COPY_OWN;
}

static int is_again(const struct action* a) {
  return a->act == SUM_AGAIN || a->act == COPY_AGAIN;
}

/* Does its data wait in memory of its own, until all of the step has been read? */
static int is_staged(const struct action* a) {
  return a->act == SUM || a->act == COPY || is_own(a);
}

static MPI_Aint bytes_of(const struct call* call, MPI_Aint elements) {
  const MPI_Aint stride = call->extent < 0 ? -call->extent : call->extent;
  return elements == 0 ? 0 : (elements - 1) * stride + call->true_extent;
}

/* Memory for so many elements, as a vector. */
static char* as_vector(const struct call* call, char* memory, MPI_Aint elements) {
  if (elements == 0) return memory;
  memory -= call->true_lb;
  return call->extent < 0 ? memory - (elements - 1) * call->extent : memory;
}

/* Room for so many elements that arrive, in messages that may be as long as the vector each. */
static int make_room(struct call* call, MPI_Aint elements) {
  const MPI_Aint bytes = bytes_of(call, elements);
  if (bytes > call->memory_bytes) {
    free(call->memory);
    call->memory = malloc((size_t)bytes);
    call->memory_bytes = bytes;
    if (call->memory == NULL) return MPI_ERR_NO_MEM;
  }
  call->arrived = as_vector(call, call->memory, elements);
  return MPI_SUCCESS;
}

/* Reads blocks of the rank's own. */
static int read_own(const struct call* call, int list, char* to) {
  int code = MPI_SUCCESS, r;
  for (r = first_run[list]; r < first_run[list + 1] && code == MPI_SUCCESS; ++r) {
    const int elements = length_of(call, &runs[r]);
    if (elements > 0) code = copy(call, element(call, call->vector, start_of(call, runs[r].first)), to, elements);
    to = element(call, to, elements);
  }
  return code;
}

static int exchange(struct call* call, const struct action* first, const struct action* end) {
  const struct action* a;
  MPI_Aint arriving = 0;
  int code, posted = 0;
  for (a = first; a != end; ++a)
    if (is_staged(a)) arriving += elements_of(call, a->list);
  code = make_room(call, arriving);
  arriving = 0;
  for (a = first; a != end && code == MPI_SUCCESS; ++a) {
    if (is_own(a)) code = read_own(call, a->peer, element(call, call->arrived, arriving));
    if (is_staged(a)) arriving += elements_of(call, a->list);
  }
  arriving = 0;
  for (a = first; a != end && code == MPI_SUCCESS; ++a) {
    const int elements = elements_of(call, a->list);
    if (elements == 0 || is_again(a)) continue;
    if (is_staged(a)) {
      if (!is_own(a))
        code =
            post(call, a, element(call, call->arrived, arriving), elements, call->datatype, &call->requests[posted++]);
      arriving += elements;
    } else {
      code = post_blocks(call, a, &call->requests[posted++]);
    }
  }
  return code == MPI_SUCCESS ? MPI_Waitall(posted, call->requests, call->statuses) : code;
}

static int apply(const struct call* call, const struct action* first, const struct action* end) {
  const struct action* a;
  MPI_Aint arriving = 0, began = 0, next;
  int code = MPI_SUCCESS, r;
  for (a = first; a != end; ++a) {
    const int sums = a->act == SUM || a->act == SUM_AGAIN || a->act == SUM_OWN;
    if (!is_staged(a) && !is_again(a)) continue;
    if (is_staged(a)) began = arriving;
    next = began;
    for (r = first_run[a->list]; r < first_run[a->list + 1] && code == MPI_SUCCESS; ++r) {
      const int start = start_of(call, runs[r].first), elements = length_of(call, &runs[r]);
      char *arrived, *held;
      if (elements == 0) continue;
      arrived = element(call, call->arrived, next);
      held = element(call, call->vector, start);
      code = sums ? join(call, runs[r].side, arrived, held, elements) : copy(call, arrived, held, elements);
      next += elements;
    }
    if (is_staged(a)) arriving = next;
  }
  return code;
}

static int run_steps(struct call* call) {
  const struct action *next, *first = actions + first_action[call->rank];
  const struct action* const end = actions + first_action[call->rank + 1];
  int code = MPI_SUCCESS;
  for (; first != end && code == MPI_SUCCESS; first = next) {
    for (next = first; next != end && next->step == first->step;) ++next;
    code = exchange(call, first, next);
    if (code == MPI_SUCCESS) code = apply(call, first, next);
  }
  return code;
}

static int describe_elements(struct call* call) {
  MPI_Aint lb;
  int size, code = MPI_Type_get_extent(call->datatype, &lb, &call->extent);
  if (code == MPI_SUCCESS) code = MPI_Type_get_true_extent(call->datatype, &call->true_lb, &call->true_extent);
  if (code == MPI_SUCCESS) code = MPI_Type_size(call->datatype, &size);
  call->is_dense = code == MPI_SUCCESS && size == call->extent && size == call->true_extent;
  return code;
}

/* Which communicators have one of ours beside them, made at the first call. */
static int key = MPI_KEYVAL_INVALID;

static int forget(MPI_Comm comm, int its_key, void* value, void* extra) {
  (void)its_key;
  (void)extra;
  /* MPI_COMM_WORLD lets go of it when MPI has ended, and then none may be freed. */
  if (comm != MPI_COMM_WORLD) MPI_Comm_free((MPI_Comm*)value);
  free(value);
  return MPI_SUCCESS;
}

static int find_own(MPI_Comm comm, MPI_Comm* own) {
  MPI_Comm* kept;
  int found, code = MPI_SUCCESS;
  if (key == MPI_KEYVAL_INVALID) code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
  if (code == MPI_SUCCESS) code = MPI_Comm_get_attr(comm, key, &kept, &found);
  if (code != MPI_SUCCESS) return code;
  if (!found) {
    kept = malloc(sizeof *kept);
    if (kept == NULL) return MPI_ERR_NO_MEM;
    code = MPI_Comm_dup(comm, kept);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(*kept, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_Comm_set_attr(comm, key, kept);
  }
  *own = *kept;
  return code;
}

/* Hands an error to the communicator's handler; says why, where rank 0 can. */
static int fail(MPI_Comm comm, int code, const char* why) {
  int rank = 0;
  if (why != NULL) {
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) fprintf(stderr, "%s: %s\n", FUNCTION_NAME, why);
  }
  MPI_Comm_call_errhandler(comm, code);
  return code;
}

/* After a failure messages may still be on their way, so that their memory is left to them. */
static int run_call(struct call* call, const void* sendbuf) {
  const MPI_Aint longest = (call->count - 1) / BLOCKS + 1, elements = call->count + SCRATCH * longest;
  char *result = call->vector, *own = NULL;
  int code;
  call->memory = NULL;
  call->memory_bytes = 0;
  code = describe_elements(call);
  if (code == MPI_SUCCESS && elements > INT_MAX) code = MPI_ERR_COUNT;
  if (code == MPI_SUCCESS && SCRATCH > 0) {
    own = malloc((size_t)bytes_of(call, elements) + 1);
    if (own == NULL) return MPI_ERR_NO_MEM;
    call->vector = as_vector(call, own, elements);
    if (sendbuf == MPI_IN_PLACE) sendbuf = result;
  }
  if (code == MPI_SUCCESS && sendbuf != MPI_IN_PLACE) code = copy(call, sendbuf, call->vector, call->count);
  if (code == MPI_SUCCESS) code = run_steps(call);
  if (code == MPI_SUCCESS && SCRATCH > 0) code = copy(call, call->vector, result, call->count);
  if (code == MPI_SUCCESS) free(call->memory);
  if (code == MPI_SUCCESS) free(own);
  return code;
}

int FUNCTION(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

int FUNCTION(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  struct call* call;
  int is_inter = 0, ranks = 0, commutes = 0, code;
  MPI_Comm_test_inter(comm, &is_inter);
  MPI_Comm_size(comm, &ranks);
  if (is_inter || ranks != RANKS) return fail(comm, MPI_ERR_COMM, "the schedule is for another number of ranks");
  if (count < 0) return fail(comm, MPI_ERR_COUNT, NULL);
  code = MPI_Op_commutative(op, &commutes);
  if (code != MPI_SUCCESS) return fail(comm, code, NULL);
  if (!commutes && !KEEPS_ORDER)
    return fail(comm, MPI_ERR_OP, "the operator doesn't commute, and the schedule doesn't keep the order of the ranks");
  if (count == 0) return MPI_SUCCESS;
  call = malloc(sizeof *call);
  if (call == NULL) return fail(comm, MPI_ERR_NO_MEM, NULL);
  call->vector = recvbuf;
  call->count = count;
  call->datatype = datatype;
  call->op = op;
  call->commutes = commutes;
  MPI_Comm_rank(comm, &call->rank);
  code = find_own(comm, &call->comm);
  if (code == MPI_SUCCESS) code = run_call(call, sendbuf);
  if (code != MPI_SUCCESS) return fail(comm, code, NULL);
  free(call);
  return MPI_SUCCESS;
}

#ifdef ONCEOVER_INTERPOSE
int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  int is_inter = 1, ranks = 0;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &is_inter);
  if (!is_inter) PMPI_Comm_size(comm, &ranks);
  if (is_inter || ranks != RANKS) return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
  return FUNCTION(sendbuf, recvbuf, count, datatype, op, comm);
}
#endif
