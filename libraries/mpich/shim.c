/* What of the stand-in isn't a macro: requests, communicators, copies and datatypes. */
#include "mpiimpl.h"

/* Requests are kept in a list of this rank's. */
static MPIR_Request* first_request;
static int idle_rounds; /* calls of shim_progress in which nothing happened */

MPIR_Request* shim_new_request(bool is_receive) {
  MPIR_Request* found = first_request;
  while (found != NULL && found->is_used) found = found->next;
  if (found == NULL) {
    found = (MPIR_Request*)calloc(1, sizeof *found);
    found->next = first_request;
    first_request = found;
  }
  found->is_used = true;
  found->is_complete = false;
  found->is_receive = is_receive;
  found->request = MPI_REQUEST_NULL;
  idle_rounds = 0;
  return found;
}

/* MPICH may free a request that isn't complete; none of the files that are judged does. */
void shim_release(MPIR_Request* request) {
  assert(request->is_used && request->is_complete);
  request->is_used = false;
}

static int completed(MPIR_Request* request) {
  request->is_complete = true;
  idle_rounds = 0;
  return MPI_SUCCESS;
}

int shim_wait(MPIR_Request* request, MPI_Status* status) {
  assert(request->is_used);
  int error = MPI_SUCCESS;
  if (!request->is_complete) {
    error = MPI_Wait(&request->request, &request->status);
    completed(request);
  }
  if (status != MPI_STATUS_IGNORE) *status = request->status;
  return error;
}

bool shim_test(MPIR_Request* request) {
  assert(request->is_used);
  int is_complete = request->is_complete;
  if (is_complete) return true;
  MPI_Test(&request->request, &is_complete, &request->status);
  if (is_complete) completed(request);
  return is_complete;
}

/* Blocks until one of the requests is complete. */
static void wait_for_any(void) {
  int n = 0;
  for (const MPIR_Request* each = first_request; each != NULL; each = each->next) n += each->is_used && !each->is_complete;
  if (n == 0) return;
  MPI_Request* open = (MPI_Request*)malloc((size_t)n * sizeof *open);
  MPIR_Request** owners = (MPIR_Request**)malloc((size_t)n * sizeof *owners);
  int at = 0;
  for (MPIR_Request* each = first_request; each != NULL; each = each->next)
    if (each->is_used && !each->is_complete) {
      owners[at] = each;
      open[at++] = each->request;
    }
  int found;
  MPI_Status status;
  MPI_Waitany(n, open, &found, &status);
  if (found != MPI_UNDEFINED) {
    owners[found]->status = status;
    owners[found]->request = MPI_REQUEST_NULL;
    completed(owners[found]);
  }
  free(owners);
  free(open);
}

/* Code that polls goes on when a request is complete. Where it polls again and again, and neither begins a request nor
 * sees one complete, we wait in its place: the simulator then sees a deadlock, where there is one. */
void shim_progress(void) {
  enum { patience = 64 };
  if (++idle_rounds < patience) return;
  wait_for_any();
}

static int* new_numbers(int n) {
  return (int*)calloc((size_t)n, sizeof(int));
}

static MPIR_Comm* new_communicator(MPI_Comm comm) {
  MPIR_Comm* in = (MPIR_Comm*)calloc(1, sizeof *in);
  in->comm = comm;
  MPI_Comm_rank(comm, &in->rank);
  MPI_Comm_size(comm, &in->local_size);
  in->remote_size = in->local_size;
  in->comm_kind = MPIR_COMM_KIND__INTRACOMM;
  for (int k = 0; k < MAX_RADIX - 1; ++k) in->coll.nbrs_defined[k] = 0;
  in->coll.topo_aware_tree_root = in->coll.topo_aware_k_tree_root = in->coll.topo_wave_tree_root = -1;
  return in;
}

/* The communicators of a host, and of the first ranks of hosts; MPICH makes them as it makes the communicator. */
static void find_hosts(MPIR_Comm* in) {
  MPI_Comm node, roots;
  const int p = in->local_size;
  MPI_Comm_split_type(in->comm, MPI_COMM_TYPE_SHARED, in->rank, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &in->local_rank);
  MPI_Comm_size(node, &in->num_local);
  MPI_Comm_split(in->comm, in->local_rank == 0 ? 0 : MPI_UNDEFINED, in->rank, &roots);
  int own[3] = {0, 0, in->local_rank};
  if (in->local_rank == 0) {
    MPI_Comm_rank(roots, &own[0]);
    MPI_Comm_size(roots, &own[1]);
  }
  PMPI_Bcast(own, 2, MPI_INT, 0, node);
  in->external_rank = own[0];
  in->num_external = own[1];
  int* all = new_numbers(3 * p);
  PMPI_Allgather(own, 3, MPI_INT, all, 3, MPI_INT, in->comm);
  in->internode_table = new_numbers(p);
  in->intranode_table = new_numbers(p);
  in->is_consecutive = true;
  for (int r = 0; r < p; ++r) {
    in->internode_table[r] = all[3 * r];
    in->intranode_table[r] = all[3 * r + 2];
    if (r > 0 && in->internode_table[r] != in->internode_table[r - 1] &&
        in->internode_table[r] != in->internode_table[r - 1] + 1)
      in->is_consecutive = false;
  }
  free(all);
  if (in->num_local > 1) in->node_comm = new_communicator(node);
  if (in->local_rank == 0) in->node_roots_comm = new_communicator(roots);
}

/* A communicator is made known once. */
MPIR_Comm* shim_communicator(MPI_Comm comm) {
  static MPIR_Comm* known[8];
  static int count;
  for (int k = 0; k < count; ++k)
    if (known[k]->comm == comm) return known[k];
  assert(count < 8);
  MPIR_Comm* in = new_communicator(comm);
  find_hosts(in);
  known[count++] = in;
  return in;
}

int MPIR_Typerep_pack(const void* from, MPI_Aint n, MPI_Datatype type, MPI_Aint begin, void* to, MPI_Aint room,
                      MPI_Aint* packed, unsigned flags) {
  int at = 0;
  assert(begin == 0);
  /* SimGrid divides by the size of the type. */
  const int error =
      n * shim_size(type) == 0 ? MPI_SUCCESS : MPI_Pack((void*)from, (int)n, type, to, (int)room, &at, MPI_COMM_SELF);
  *packed = at;
  return error;
}

int MPIR_Typerep_unpack(const void* from, MPI_Aint bytes, void* to, MPI_Aint n, MPI_Datatype type, MPI_Aint begin,
                        MPI_Aint* unpacked, unsigned flags) {
  int at = 0;
  assert(begin == 0);
  const int error =
      n * shim_size(type) == 0 ? MPI_SUCCESS : MPI_Unpack((void*)from, (int)bytes, &at, to, (int)n, type, MPI_COMM_SELF);
  *unpacked = at;
  return error;
}

/* As many bytes as both sides have. */
int MPIR_Localcopy(const void* from, MPI_Aint ngiven, MPI_Datatype giventype, void* to, MPI_Aint ngot,
                   MPI_Datatype gottype) {
  const MPI_Aint given = ngiven * shim_size(giventype), room = ngot * shim_size(gottype);
  if (given == 0) return MPI_SUCCESS;
  if (given > room) return MPI_ERR_TRUNCATE;
  MPI_Aint low, giventrue, gottrue, gotlow;
  MPI_Type_get_true_extent(giventype, &low, &giventrue);
  MPI_Type_get_true_extent(gottype, &gotlow, &gottrue);
  const bool is_plain = shim_extent(giventype) == shim_size(giventype) && giventrue == shim_size(giventype) &&
                        shim_extent(gottype) == shim_size(gottype) && gottrue == shim_size(gottype);
  if (is_plain) {
    memmove((char*)to + gotlow, (const char*)from + low, (size_t)given);
    return MPI_SUCCESS;
  }
  MPI_Aint bytes;
  void* packed = malloc((size_t)given);
  int error = MPIR_Typerep_pack(from, ngiven, giventype, 0, packed, given, &bytes, 0);
  if (error == MPI_SUCCESS)
    error = MPIR_Typerep_unpack(packed, given, to, given / shim_size(gottype), gottype, 0, &bytes, 0);
  free(packed);
  return error;
}

static int* short_numbers(const MPI_Aint* numbers, MPI_Aint n) {
  int* all = (int*)malloc((size_t)n * sizeof *all + 1);
  for (MPI_Aint k = 0; k < n; ++k) all[k] = (int)numbers[k];
  return all;
}

int MPIR_Type_indexed_large_impl(MPI_Aint n, const MPI_Aint* lengths, const MPI_Aint* begins, MPI_Datatype of,
                                 MPI_Datatype* type) {
  int *lengths_in = short_numbers(lengths, n), *begins_in = short_numbers(begins, n);
  const int error = MPI_Type_indexed((int)n, lengths_in, begins_in, of, type);
  free(lengths_in);
  free(begins_in);
  return error;
}

int MPIR_Type_create_indexed_block_large_impl(MPI_Aint n, MPI_Aint length, const MPI_Aint* begins, MPI_Datatype of,
                                              MPI_Datatype* type) {
  int* begins_in = short_numbers(begins, n);
  const int error = MPI_Type_create_indexed_block((int)n, (int)length, begins_in, of, type);
  free(begins_in);
  return error;
}

int MPIR_Type_create_struct_large_impl(MPI_Aint n, const MPI_Aint* lengths, const MPI_Aint* begins,
                                       const MPI_Datatype* of, MPI_Datatype* type) {
  int* lengths_in = short_numbers(lengths, n);
  const int error = MPI_Type_create_struct((int)n, lengths_in, (MPI_Aint*)begins, (MPI_Datatype*)of, type);
  free(lengths_in);
  return error;
}

/* Schedules: entries, of which those between two barriers may begin in any order. They begin in theirs, and a barrier
 * waits for all before it. */
enum kind { is_send, is_receive, is_reduce, is_copy, is_call, is_barrier };

struct entry {
  enum kind kind;
  const void* from;
  void* to;
  MPI_Aint n, m;
  const MPI_Aint* later; /* the count, which is read when the entry begins */
  MPI_Datatype type, into;
  MPI_Op op;
  int peer;
  MPIR_Comm* in;
  MPI_Status* status;
  MPIR_Sched_cb_t* call;
  MPIR_Sched_cb2_t* call2;
  void *state, *state2;
  MPIR_Request* request; /* not null while it goes on */
};

struct MPIR_Sched {
  MPIR_Comm* in;
  int tag, count, room, memories;
  struct entry* entries;
  void* memory[64];
  int types;
  MPI_Datatype type[64]; /* to be freed at the end */
};

static MPIR_Sched_t current; /* the schedule that is being made */

MPIR_Sched_t shim_new_sched(MPIR_Comm* in) {
  MPIR_Sched_t made = (MPIR_Sched_t)calloc(1, sizeof *made);
  made->in = in;
  MPIR_Sched_next_tag(in, &made->tag);
  return current = made;
}

void shim_free_sched(MPIR_Sched_t sched) {
  current = NULL;
  for (int k = 0; k < sched->types; ++k) MPI_Type_free(&sched->type[k]);
  for (int k = 0; k < sched->memories; ++k) free(sched->memory[k]);
  free(sched->entries);
  free(sched);
}

/* A type that entries of a schedule use lives as long as it, though the code frees it at once. */
int shim_free_type(MPI_Datatype* type) {
  if (current == NULL) return MPI_Type_free(type);
  assert(current->types < 64);
  current->type[current->types++] = *type;
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

void* MPIR_Sched_alloc_state(MPIR_Sched_t sched, MPI_Aint bytes) {
  assert(sched->memories < 64);
  return sched->memory[sched->memories++] = malloc((size_t)bytes);
}

static int add(MPIR_Sched_t sched, struct entry entry) {
  if (sched->count == sched->room) {
    sched->room = 2 * sched->room + 16;
    sched->entries = (struct entry*)realloc(sched->entries, (size_t)sched->room * sizeof entry);
  }
  sched->entries[sched->count++] = entry;
  return MPI_SUCCESS;
}

int MPIR_Sched_barrier(MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_barrier});
}

int MPIR_Sched_send(const void* at, MPI_Aint n, MPI_Datatype type, int to, MPIR_Comm* in, MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_send, .from = at, .n = n, .type = type, .peer = to, .in = in});
}

int MPIR_Sched_send_defer(const void* at, const MPI_Aint* n, MPI_Datatype type, int to, MPIR_Comm* in,
                          MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_send, .from = at, .later = n, .type = type, .peer = to, .in = in});
}

int MPIR_Sched_recv(void* at, MPI_Aint n, MPI_Datatype type, int from, MPIR_Comm* in, MPIR_Sched_t sched) {
  return MPIR_Sched_recv_status(at, n, type, from, in, MPI_STATUS_IGNORE, sched);
}

int MPIR_Sched_recv_status(void* at, MPI_Aint n, MPI_Datatype type, int from, MPIR_Comm* in, MPI_Status* status,
                           MPIR_Sched_t sched) {
  return add(sched, (struct entry){
                        .kind = is_receive, .to = at, .n = n, .type = type, .peer = from, .in = in, .status = status});
}

int MPIR_Sched_reduce(const void* from, void* into, MPI_Aint n, MPI_Datatype type, MPI_Op op, MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_reduce, .from = from, .to = into, .n = n, .type = type, .op = op});
}

int MPIR_Sched_copy(const void* from, MPI_Aint n, MPI_Datatype type, void* to, MPI_Aint m, MPI_Datatype into,
                    MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_copy, .from = from, .n = n, .type = type, .to = to, .m = m, .into = into});
}

int MPIR_Sched_cb(MPIR_Sched_cb_t* call, void* state, MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_call, .call = call, .state = state});
}

int MPIR_Sched_cb2(MPIR_Sched_cb2_t* call, void* state, void* state2, MPIR_Sched_t sched) {
  return add(sched, (struct entry){.kind = is_call, .call2 = call, .state = state, .state2 = state2});
}

int MPIR_Sched_cb_free_buf(MPIR_Comm* in, int tag, void* state) {
  free(state);
  return MPI_SUCCESS;
}

static int wait_for(struct entry* entry) {
  if (entry->request == NULL) return MPI_SUCCESS;
  const int error = shim_wait(entry->request, entry->status == NULL ? MPI_STATUS_IGNORE : entry->status);
  shim_release(entry->request);
  entry->request = NULL;
  return error;
}

static int begin(MPIR_Sched_t sched, struct entry* entry) {
  const MPI_Aint n = entry->later == NULL ? entry->n : *entry->later;
  switch (entry->kind) {
    case is_send: return MPIC_Isend(entry->from, n, entry->type, entry->peer, sched->tag, entry->in, &entry->request, 0);
    case is_receive: return MPIC_Irecv(entry->to, n, entry->type, entry->peer, sched->tag, entry->in, &entry->request);
    case is_reduce: return MPIR_Reduce_local(entry->from, entry->to, n, entry->type, entry->op);
    case is_copy: return MPIR_Localcopy(entry->from, n, entry->type, entry->to, entry->m, entry->into);
    case is_call:
      return entry->call != NULL ? entry->call(sched->in, sched->tag, entry->state)
                                 : entry->call2(sched->in, sched->tag, entry->state, entry->state2);
    case is_barrier: return MPI_SUCCESS;
  }
  return MPI_ERR_OTHER;
}

int shim_run_sched(MPIR_Sched_t sched) {
  int waited = 0;
  for (int k = 0; k <= sched->count; ++k) {
    if (k < sched->count && sched->entries[k].kind != is_barrier) {
      const int error = begin(sched, &sched->entries[k]);
      if (error != MPI_SUCCESS) return error;
      continue;
    }
    for (; waited < k; ++waited) {
      const int error = wait_for(&sched->entries[waited]);
      if (error != MPI_SUCCESS) return error;
    }
  }
  return MPI_SUCCESS;
}
