/* Stands between the function under test and the simulator: each message that it sends or receives is written down
 * before the simulator carries it out. Sites are return addresses, counted from the start of the program.
 *
 * Only calls between ranks are here. What a collective of the simulator's sends inside is not seen.
 */
#define SMPI_NO_OVERRIDE_MALLOC 1
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"
#include "ledger.h"

extern int onceover_rank, onceover_records;
extern MPI_Comm onceover_comm;
extern void *onceover_outermost;
extern uint64_t onceover_adding;
extern const char __ehdr_start __attribute__((visibility("hidden")));

#define SITE site((void **)__builtin_frame_address(0))
#define RANK ((uint32_t)onceover_rank)

/* Where a function was called, and where its caller was, up to the function under test. Frames of code that was
 * compiled without frame pointers are left out; all that is read lies on the rank's own stack. */
static uint64_t site(void **frame) {
  enum { most = 6 };
  uint64_t addresses[most];
  int count = 0;
  while (count < most && (void *)frame < onceover_outermost && (uintptr_t)frame % sizeof(void *) == 0) {
    void **next = (void **)frame[0];
    addresses[count++] = (uint64_t)((const char *)frame[1] - &__ehdr_start);
    if (next <= frame) break;
    frame = next;
  }
  return onceover_site(RANK, addresses, count);
}

/* The compiler has each function of the user's files call these. */
void __cyg_profile_func_enter(void *function, void *caller) {
  (void)caller;
  if (onceover_records) onceover_enter(RANK, (uint64_t)((const char *)function - &__ehdr_start));
}

void __cyg_profile_func_exit(void *function, void *caller) { (void)function, (void)caller; }

/* A send or receive that isn't complete, or can be started again. */
struct entry {
  MPI_Request request;
  uint32_t serial;
  int is_send, is_persistent, is_active;
  int has_lost_type; /* its type was freed, so nobody can see whether the buffer changes */
  int peer, tag, count;
  MPI_Comm comm;
  MPI_Group group; /* of the communicator, while a receive is open; it may be freed before */
  MPI_Datatype type;
  const void *data;
  void *sent; /* what was sent, packed, until it is complete */
  int bytes;
};

static struct entry *entries;
static size_t used, room;
static uint32_t serials;

/* What the simulator does with an error of its own functions: it ends, unless the code asked to see errors. */
static int checked(int error, const char *name, MPI_Comm comm, uint64_t site) {
  char why[MPI_MAX_ERROR_STRING] = "", told[MPI_MAX_ERROR_STRING + 64];
  int length;
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (error == MPI_SUCCESS) return error;
  if (comm != MPI_COMM_NULL) PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_RETURN) return error;
  PMPI_Error_string(error, why, &length);
  snprintf(told, sizeof told, "%s ended with %s", name, why);
  onceover_log_wait(RANK, site);
  onceover_log_fault(RANK, told);
  abort();
}

/* A rank of another communicator, as one of the call's. */
static int group_in_call(MPI_Group group, int rank) {
  MPI_Group of_call;
  int there = MPI_UNDEFINED;
  if (rank < 0) return rank;
  PMPI_Comm_group(onceover_comm, &of_call);
  PMPI_Group_translate_ranks(group, 1, &rank, of_call, &there);
  PMPI_Group_free(&of_call);
  return there;
}

static int in_call(MPI_Comm comm, int rank) {
  MPI_Group group;
  if (rank < 0 || comm == onceover_comm) return rank;
  PMPI_Comm_group(comm, &group);
  const int there = group_in_call(group, rank);
  PMPI_Group_free(&group);
  return there;
}

/* The number of a communicator's list of ranks. */
static uint32_t group_of(MPI_Comm comm) {
  static uint32_t group_of_call = UINT32_MAX; /* all ranks in their order, whichever call it is */
  int size;
  if (comm == onceover_comm && group_of_call != UINT32_MAX) return group_of_call;
  PMPI_Comm_size(comm, &size);
  int *members = (int *)malloc((size_t)size * sizeof *members);
  for (int r = 0; r < size; ++r) members[r] = in_call(comm, r);
  const uint32_t group = onceover_group(members, size);
  free(members);
  if (comm == onceover_comm) group_of_call = group;
  return group;
}

/* What a message holds; nothing of one that is no message. */
static void *packed(const void *data, int count, MPI_Datatype type, int *bytes) {
  int size = 0, at = 0, each = 0;
  *bytes = 0;
  if (count < 0 || PMPI_Pack_size(count, type, MPI_COMM_WORLD, &size) != MPI_SUCCESS) return malloc(1);
  void *buffer = malloc((size_t)size + 1);
  PMPI_Type_size(type, &each);
  /* The simulator divides by the size of the type. */
  if (each > 0 && PMPI_Pack((void *)data, count, type, buffer, size, &at, MPI_COMM_WORLD) == MPI_SUCCESS) *bytes = at;
  return buffer;
}

static void post(struct entry *e, uint64_t site) {
  e->serial = serials++;
  e->is_active = 1;
  if (e->is_send) {
    e->sent = packed(e->data, e->count, e->type, &e->bytes);
    onceover_log_send(RANK, in_call(e->comm, e->peer), e->tag, group_of(e->comm), e->serial, site, e->sent,
                      (size_t)e->bytes);
  } else {
    PMPI_Comm_group(e->comm, &e->group);
    onceover_log_receive(RANK, in_call(e->comm, e->peer), e->tag, group_of(e->comm), e->serial, site);
  }
  if (e->comm == MPI_COMM_WORLD && onceover_comm != MPI_COMM_WORLD) onceover_log_on_world(RANK, e->serial);
}

static void complete(struct entry *e, const MPI_Status *status) {
  if (!e->is_active) return;
  e->is_active = 0;
  if (!e->is_send) {
    int is_cancelled = 0;
    PMPI_Test_cancelled((MPI_Status *)status, &is_cancelled);
    onceover_log_done(RANK, e->serial,
                      is_cancelled ? onceover_cancelled : group_in_call(e->group, status->MPI_SOURCE), status->MPI_TAG);
    PMPI_Group_free(&e->group);
    return;
  }
  int is_changed = 0;
  if (!e->has_lost_type) {
    int bytes;
    void *now = packed(e->data, e->count, e->type, &bytes);
    is_changed = bytes != e->bytes || memcmp(now, e->sent, (size_t)bytes) != 0;
    free(now);
  }
  onceover_log_done(RANK, e->serial, is_changed, 0);
  free(e->sent);
  e->sent = NULL;
}

/* A send of no data that is started again and again. */
static void tell_start(const struct entry *e, uint64_t site) {
  if (e->is_send && e->bytes == 0) onceover_log_met(RANK, onceover_lost_starts, site, e->serial);
}

/* A result that the simulator gets wrong, of a collective that isn't complete. */
struct lost {
  MPI_Request request;
  void *data;
  int count;
  MPI_Datatype type;
};

static struct lost *losts;
static size_t used_losts, room_losts;

/* Nobody can judge what is in the buffer. */
static void spoil(void *data, int count, MPI_Datatype type) {
  int size = 0, at = 0;
  PMPI_Type_size(type, &size);
  const size_t elements = (size_t)count * (size_t)size / sizeof(onceover_element);
  onceover_element *unjudged = (onceover_element *)malloc((elements + 1) * sizeof *unjudged);
  for (size_t k = 0; k < elements; ++k) unjudged[k] = onceover_unjudged_element(RANK);
  PMPI_Unpack(unjudged, (int)(elements * sizeof *unjudged), &at, data, count, type, MPI_COMM_WORLD);
  free(unjudged);
}

static int is_derived(MPI_Datatype type) {
  int integers, addresses, types, combiner;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner != MPI_COMBINER_NAMED;
}

/* The result of a nonblocking reduction will be lost. */
static int lose(int error, uint64_t site, void *data, int count, MPI_Datatype type, MPI_Request request) {
  struct lost lost = {request, data, count, type};
  if (error != MPI_SUCCESS || !onceover_records || !onceover_has_defect(onceover_lost_sums) || !is_derived(type) ||
      count == 0)
    return error;
  onceover_log_met(RANK, onceover_lost_sums, site, 0);
  PMPI_Type_dup(type, &lost.type);
  if (used_losts == room_losts) {
    room_losts = room_losts * 2 + 16;
    losts = (struct lost *)realloc(losts, room_losts * sizeof *losts);
    if (losts == NULL) abort();
  }
  losts[used_losts++] = lost;
  return error;
}

static void finish_lost(MPI_Request before) {
  for (size_t k = 0; k < used_losts; ++k) {
    if (losts[k].request != before) continue;
    spoil(losts[k].data, losts[k].count, losts[k].type);
    PMPI_Type_free(&losts[k].type);
    losts[k] = losts[--used_losts];
    return;
  }
}

/* The result of a scan is lost. */
static int lose_scan(int error, uint64_t site, void *data, int count, MPI_Datatype type, MPI_Op op) {
  int commutes = 1;
  PMPI_Op_commutative(op, &commutes);
  if (error != MPI_SUCCESS || !onceover_records || !onceover_has_defect(onceover_lost_scans) || commutes || count == 0)
    return error;
  onceover_log_met(RANK, onceover_lost_scans, site, 0);
  if (data != NULL) spoil(data, count, type);
  return error;
}

static int is_recorded(int peer) { return onceover_records && peer != MPI_PROC_NULL; }

static struct entry described(int is_send, const void *data, int count, MPI_Datatype type, int peer, int tag,
                              MPI_Comm comm) {
  struct entry e;
  memset(&e, 0, sizeof e);
  e.is_send = is_send;
  e.data = data;
  e.count = count;
  e.type = type;
  e.peer = peer;
  e.tag = tag;
  e.comm = comm;
  return e;
}

static void keep(struct entry e) {
  if (used == room) {
    room = room * 2 + 64;
    entries = (struct entry *)realloc(entries, room * sizeof *entries);
    if (entries == NULL) abort();
  }
  entries[used++] = e;
}

static struct entry *find(MPI_Request request) {
  for (size_t k = used; k-- > 0;)
    if (entries[k].request == request) return &entries[k];
  return NULL;
}

/* After a request was found complete by the simulator. */
static void finish(MPI_Request before, const MPI_Status *status) {
  finish_lost(before);
  struct entry *e = before == MPI_REQUEST_NULL ? NULL : find(before);
  if (e == NULL) return;
  complete(e, status);
  if (!e->is_persistent) *e = entries[--used];
}

/* What a communicator is to the code. */
static void name_of(MPI_Comm comm, char *name, size_t bytes) {
  int size, at, rank;
  if (comm == onceover_comm) {
    snprintf(name, bytes, onceover_comm == MPI_COMM_WORLD ? "" : " on the communicator that it was given");
    return;
  }
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_NULL) {
    snprintf(name, bytes, comm == MPI_COMM_NULL ? " on MPI_COMM_NULL" : " on MPI_COMM_WORLD");
    return;
  }
  PMPI_Comm_size(comm, &size);
  at = snprintf(name, bytes, " on a communicator of rank%s ", size == 1 ? "" : "s");
  for (rank = 0; rank < size && (size_t)at + 16 < bytes; ++rank)
    at += snprintf(name + at, bytes - (size_t)at, "%s%d", rank == 0 ? "" : ", ", in_call(comm, rank));
  if (rank < size) snprintf(name + at, bytes - (size_t)at, " ..");
}

static void enter(const char *function, MPI_Comm comm, uint64_t site) {
  char name[120], told[160];
  if (!onceover_records) return;
  name_of(comm, name, sizeof name);
  snprintf(told, sizeof told, "%s%s", function, name);
  onceover_log_enter(RANK, site, told);
}

static int leave(int error) {
  if (onceover_records) onceover_log_leave(RANK);
  return error;
}

#define BLOCKING_SEND(NAME)                                                                                     \
  int MPI_##NAME(const void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {            \
    const uint64_t at = SITE;                                                                                   \
    struct entry e = described(1, data, count, type, peer, tag, comm);                                          \
    if (is_recorded(peer)) post(&e, at);                                                                        \
    const int error = checked(PMPI_##NAME(data, count, type, peer, tag, comm), "MPI_" #NAME, comm, at);         \
    if (error == MPI_SUCCESS) complete(&e, NULL);                                                               \
    return error;                                                                                               \
  }
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Rsend)

#define STARTED(NAME, IS_SEND, IS_PERSISTENT, CONST)                                                            \
  int MPI_##NAME(CONST void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,              \
                 MPI_Request *request) {                                                                        \
    struct entry e = described(IS_SEND, data, count, type, peer, tag, comm);                                    \
    e.is_persistent = IS_PERSISTENT;                                                                            \
    const uint64_t at = SITE;                                                                                   \
    if (is_recorded(peer) && !IS_PERSISTENT) post(&e, at);                                                      \
    const int error = checked(PMPI_##NAME(data, count, type, peer, tag, comm, request), "MPI_" #NAME, comm, at); \
    e.request = *request;                                                                                       \
    if (is_recorded(peer)) keep(e);                                                                             \
    return error;                                                                                               \
  }
STARTED(Isend, 1, 0, const)
STARTED(Issend, 1, 0, const)
STARTED(Ibsend, 1, 0, const)
STARTED(Irsend, 1, 0, const)
STARTED(Irecv, 0, 0, )
STARTED(Send_init, 1, 1, const)
STARTED(Ssend_init, 1, 1, const)
STARTED(Bsend_init, 1, 1, const)
STARTED(Rsend_init, 1, 1, const)
STARTED(Recv_init, 0, 1, )

int MPI_Type_free(MPI_Datatype *type) {
  for (size_t k = 0; k < used; ++k)
    if (entries[k].type == *type) entries[k].has_lost_type = 1;
  return PMPI_Type_free(type);
}

int MPI_Abort(MPI_Comm comm, int code) {
  char told[64];
  snprintf(told, sizeof told, "the code calls MPI_Abort with %d", code);
  onceover_log_wait(RANK, SITE);
  onceover_log_fault(RANK, told);
  return PMPI_Abort(comm, code);
}

int MPI_Start(MPI_Request *request) {
  struct entry *e = find(*request);
  if (e != NULL && onceover_records) {
    post(e, SITE);
    tell_start(e, SITE);
  }
  return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request *requests) {
  for (int k = 0; k < count; ++k) {
    struct entry *e = find(requests[k]);
    if (e != NULL && onceover_records) {
      post(e, SITE);
      tell_start(e, SITE);
    }
  }
  return PMPI_Startall(count, requests);
}

int MPI_Request_free(MPI_Request *request) {
  struct entry *e = find(*request);
  if (e != NULL) {
    /* Nobody can know when such a send is complete. */
    if (e->is_send && e->is_active) onceover_log_done(RANK, e->serial, 0, 0);
    *e = entries[--used];
  }
  return PMPI_Request_free(request);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  const uint64_t at = SITE;
  MPI_Status own;
  struct entry e = described(0, data, count, type, peer, tag, comm);
  if (is_recorded(peer)) post(&e, at);
  const int error = checked(PMPI_Recv(data, count, type, peer, tag, comm, &own), "MPI_Recv", comm, at);
  if (error == MPI_SUCCESS) complete(&e, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return error;
}

static int exchange(struct entry *sent, struct entry *received, uint64_t site, MPI_Status *status) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status own[2];
  if (is_recorded(received->peer)) post(received, site);
  if (is_recorded(sent->peer)) post(sent, site);
  int error = PMPI_Irecv((void *)received->data, received->count, received->type, received->peer, received->tag,
                         received->comm, &requests[0]);
  if (error == MPI_SUCCESS)
    error = PMPI_Isend(sent->data, sent->count, sent->type, sent->peer, sent->tag, sent->comm, &requests[1]);
  onceover_log_wait(RANK, site);
  if (error == MPI_SUCCESS) error = PMPI_Waitall(2, requests, own);
  if (checked(error, "MPI_Sendrecv", sent->comm, site) == MPI_SUCCESS) {
    complete(received, &own[0]);
    complete(sent, NULL);
  }
  if (status != MPI_STATUS_IGNORE) *status = own[0];
  return error;
}

int MPI_Sendrecv(const void *from, int count, MPI_Datatype type, int to_rank, int tag, void *into, int into_count,
                 MPI_Datatype into_type, int from_rank, int from_tag, MPI_Comm comm, MPI_Status *status) {
  struct entry sent = described(1, from, count, type, to_rank, tag, comm);
  struct entry received = described(0, into, into_count, into_type, from_rank, from_tag, comm);
  return exchange(&sent, &received, SITE, status);
}

int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to_rank, int tag, int from_rank, int from_tag,
                         MPI_Comm comm, MPI_Status *status) {
  int bytes, at = 0, size = 0;
  void *copy = packed(data, count, type, &bytes);
  struct entry sent = described(1, copy, bytes, MPI_PACKED, to_rank, tag, comm);
  void *into = malloc((size_t)bytes + 1);
  struct entry received = described(0, into, bytes, MPI_PACKED, from_rank, from_tag, comm);
  MPI_Status own;
  const int error = exchange(&sent, &received, SITE, &own);
  if (error == MPI_SUCCESS && from_rank != MPI_PROC_NULL) {
    int came;
    PMPI_Get_count(&own, MPI_PACKED, &came);
    PMPI_Type_size(type, &size);
    if (size > 0) PMPI_Unpack(into, came, &at, data, came / size, type, comm);
  }
  if (status != MPI_STATUS_IGNORE) *status = own;
  free(copy);
  free(into);
  return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
  const MPI_Request before = *request;
  MPI_Status own;
  const uint64_t at = SITE;
  if (onceover_records) onceover_log_wait(RANK, at);
  const int error = checked(PMPI_Wait(request, &own), "MPI_Wait", MPI_COMM_WORLD, at);
  if (error == MPI_SUCCESS) finish(before, &own);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return error;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  const MPI_Request before = *request;
  MPI_Status own;
  const int error = checked(PMPI_Test(request, flag, &own), "MPI_Test", MPI_COMM_WORLD, SITE);
  if (*flag) finish(before, &own);
  if (*flag && status != MPI_STATUS_IGNORE) *status = own;
  return error;
}

static MPI_Request *copy_of(int count, const MPI_Request *requests) {
  MPI_Request *copy = (MPI_Request *)malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *copy);
  for (int k = 0; k < count; ++k) copy[k] = requests[k];
  return copy;
}

/* Of several requests; `is_waiting`: until all are complete. */
static int all(int count, MPI_Request *requests, MPI_Status *statuses, int *flag, uint64_t site) {
  MPI_Request *before = copy_of(count, requests);
  MPI_Status *own = (MPI_Status *)malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *own);
  int is_done = 1, error;
  if (flag == NULL) {
    if (onceover_records) onceover_log_wait(RANK, site);
    error = checked(PMPI_Waitall(count, requests, own), "MPI_Waitall", MPI_COMM_WORLD, site);
  } else {
    error = checked(PMPI_Testall(count, requests, flag, own), "MPI_Testall", MPI_COMM_WORLD, site);
    is_done = *flag;
  }
  for (int k = 0; k < count && is_done; ++k) {
    finish(before[k], &own[k]);
    if (statuses != MPI_STATUSES_IGNORE) statuses[k] = own[k];
  }
  free(own);
  free(before);
  return error;
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *statuses) {
  return all(count, requests, statuses, NULL, SITE);
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *statuses) {
  return all(count, requests, statuses, flag, SITE);
}

/* Of several requests until one is complete. */
static int any(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status, uint64_t site) {
  MPI_Request *before = copy_of(count, requests);
  MPI_Status own;
  int is_done = 1, error;
  if (flag == NULL) {
    if (onceover_records) onceover_log_wait(RANK, site);
    error = checked(PMPI_Waitany(count, requests, index, &own), "MPI_Waitany", MPI_COMM_WORLD, site);
  } else {
    error = checked(PMPI_Testany(count, requests, index, flag, &own), "MPI_Testany", MPI_COMM_WORLD, site);
    is_done = *flag;
  }
  if (is_done && *index != MPI_UNDEFINED) finish(before[*index], &own);
  if (is_done && status != MPI_STATUS_IGNORE) *status = own;
  free(before);
  return error;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status) {
  return any(count, requests, index, NULL, status, SITE);
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status) {
  return any(count, requests, index, flag, status, SITE);
}

static int some(int count, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses, int waits,
                uint64_t site) {
  MPI_Request *before = copy_of(count, requests);
  MPI_Status *own = (MPI_Status *)malloc(((size_t)(count > 0 ? count : 0) + 1) * sizeof *own);
  if (waits && onceover_records) onceover_log_wait(RANK, site);
  const int error = checked(waits ? PMPI_Waitsome(count, requests, found, indices, own)
                                  : PMPI_Testsome(count, requests, found, indices, own),
                            waits ? "MPI_Waitsome" : "MPI_Testsome", MPI_COMM_WORLD, site);
  for (int k = 0; *found != MPI_UNDEFINED && k < *found; ++k) {
    finish(before[indices[k]], &own[k]);
    if (statuses != MPI_STATUSES_IGNORE) statuses[k] = own[k];
  }
  free(own);
  free(before);
  return error;
}

int MPI_Waitsome(int count, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses) {
  return some(count, requests, found, indices, statuses, 1, SITE);
}

int MPI_Testsome(int count, MPI_Request *requests, int *found, int *indices, MPI_Status *statuses) {
  return some(count, requests, found, indices, statuses, 0, SITE);
}

int MPI_Reduce_local(const void *left, void *right, int count, MPI_Datatype type, MPI_Op op) {
  onceover_adding = SITE;
#if ONCEOVER_ADDS_NUMBERS
  /* Elements stand in for numbers, so a sum of numbers is a join. */
  if (op == MPI_SUM) {
    onceover_join_all(RANK, onceover_adding, left, right, (size_t)count);
    return MPI_SUCCESS;
  }
#endif
  const int error = checked(PMPI_Reduce_local(left, right, count, type, op), "MPI_Reduce_local", MPI_COMM_WORLD,
                            onceover_adding);
  onceover_adding = 0;
  return error;
}

static int rank_in(MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return rank;
}

int MPI_Iallreduce(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
  const int error = PMPI_Iallreduce(from, into, count, type, op, comm, request);
  return lose(checked(error, "MPI_Iallreduce", comm, SITE), SITE, into, count, type, *request);
}

int MPI_Ireduce(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                MPI_Request *request) {
  const int error = PMPI_Ireduce(from, into, count, type, op, root, comm, request);
  const int length = rank_in(comm) == root ? count : 0;
  return lose(checked(error, "MPI_Ireduce", comm, SITE), SITE, into, length, type, *request);
}

int MPI_Iscan(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request *request) {
  const int error = PMPI_Iscan(from, into, count, type, op, comm, request);
  return lose(checked(error, "MPI_Iscan", comm, SITE), SITE, into, count, type, *request);
}

int MPI_Iexscan(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request *request) {
  const int error = PMPI_Iexscan(from, into, count, type, op, comm, request);
  const int length = rank_in(comm) > 0 ? count : 0;
  return lose(checked(error, "MPI_Iexscan", comm, SITE), SITE, into, length, type, *request);
}

int MPI_Ireduce_scatter(const void *from, void *into, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                        MPI_Request *request) {
  const int error = PMPI_Ireduce_scatter(from, into, counts, type, op, comm, request);
  return lose(checked(error, "MPI_Ireduce_scatter", comm, SITE), SITE, into, counts[rank_in(comm)], type, *request);
}

int MPI_Ireduce_scatter_block(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                              MPI_Request *request) {
  const int error = PMPI_Ireduce_scatter_block(from, into, count, type, op, comm, request);
  return lose(checked(error, "MPI_Ireduce_scatter_block", comm, SITE), SITE, into, count, type, *request);
}

int MPI_Scan(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enter("MPI_Scan", comm, SITE);
  const int error = leave(PMPI_Scan(from, into, count, type, op, comm));
  return lose_scan(checked(error, "MPI_Scan", comm, SITE), SITE, into, count, type, op);
}

int MPI_Exscan(const void *from, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  enter("MPI_Exscan", comm, SITE);
  const int error = leave(PMPI_Exscan(from, into, count, type, op, comm));
  return lose_scan(checked(error, "MPI_Exscan", comm, SITE), SITE, rank_in(comm) > 0 ? into : NULL, count, type, op);
}

/* The simulator's own takes no notice of the key. */
int MPI_Comm_split_type(MPI_Comm comm, int what, int key, MPI_Info info, MPI_Comm *made) {
  MPI_Comm any;
  MPI_Errhandler handler;
  int error = PMPI_Comm_split_type(comm, what, key, info, &any);
  *made = MPI_COMM_NULL;
  if (error != MPI_SUCCESS || any == MPI_COMM_NULL) return checked(error, "MPI_Comm_split_type", comm, SITE);
  error = PMPI_Comm_split(any, 0, key, made);
  if (PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) PMPI_Comm_set_errhandler(*made, handler);
  PMPI_Comm_free(&any);
  return checked(error, "MPI_Comm_split_type", comm, SITE);
}

/* What code that adds up numbers itself calls: right = left joined with right. */
void onceover_add(const onceover_element *left, onceover_element *right, void **frame) {
  onceover_join_all(RANK, site(frame), left, right, 1);
}

/* Ranks wait for each other in these. What they send inside isn't seen. */
#define WAITING(NAME, PARAMETERS, ARGUMENTS)    \
  int MPI_##NAME PARAMETERS {                   \
    enter("MPI_" #NAME, comm, SITE);            \
    return leave(PMPI_##NAME ARGUMENTS);        \
  }
#define REDUCES const void *from, void *to, int n, MPI_Datatype type, MPI_Op op
#define MOVES const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype into
WAITING(Barrier, (MPI_Comm comm), (comm))
WAITING(Allreduce, (REDUCES, MPI_Comm comm), (from, to, n, type, op, comm))
WAITING(Reduce, (REDUCES, int root, MPI_Comm comm), (from, to, n, type, op, root, comm))
WAITING(Reduce_scatter_block, (REDUCES, MPI_Comm comm), (from, to, n, type, op, comm))
WAITING(Reduce_scatter, (const void *from, void *to, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (from, to, n, type, op, comm))
WAITING(Bcast, (void *to, int n, MPI_Datatype type, int root, MPI_Comm comm), (to, n, type, root, comm))
WAITING(Allgather, (MOVES, MPI_Comm comm), (from, n, type, to, m, into, comm))
WAITING(Gather, (MOVES, int root, MPI_Comm comm), (from, n, type, to, m, into, root, comm))
WAITING(Scatter, (MOVES, int root, MPI_Comm comm), (from, n, type, to, m, into, root, comm))
WAITING(Alltoall, (MOVES, MPI_Comm comm), (from, n, type, to, m, into, comm))
WAITING(Allgatherv, (const void *from, int n, MPI_Datatype type, void *to, const int *m, const int *at, MPI_Datatype into, MPI_Comm comm),
        (from, n, type, to, m, at, into, comm))
WAITING(Gatherv, (const void *from, int n, MPI_Datatype type, void *to, const int *m, const int *at, MPI_Datatype into, int root, MPI_Comm comm),
        (from, n, type, to, m, at, into, root, comm))
WAITING(Scatterv, (const void *from, const int *n, const int *at, MPI_Datatype type, void *to, int m, MPI_Datatype into, int root, MPI_Comm comm),
        (from, n, at, type, to, m, into, root, comm))
WAITING(Alltoallv, (const void *from, const int *n, const int *at, MPI_Datatype type, void *to, const int *m, const int *to_at, MPI_Datatype into, MPI_Comm comm),
        (from, n, at, type, to, m, to_at, into, comm))
WAITING(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
WAITING(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))

/* Memory of the code's own, so that what it reads of it is known. What isn't allocated in a call is the C library's. */
void *onceover_malloc(size_t bytes) {
  return onceover_records ? onceover_allocate(RANK, bytes) : malloc(bytes);
}

void *onceover_calloc(size_t count, size_t bytes) {
  if (!onceover_records || (bytes > 0 && count > SIZE_MAX / bytes)) return calloc(count, bytes);
  return memset(onceover_allocate(RANK, count * bytes), 0, count * bytes);
}

void *onceover_realloc(void *memory, size_t bytes) {
  return onceover_reallocate(RANK, memory, bytes);
}

void onceover_free(void *memory) { onceover_release(memory); }

/* SMPI's headers have these in the place of malloc and so on. */
void *onceover_smpi_malloc(size_t bytes, const char *file, int line) {
  (void)file, (void)line;
  return onceover_malloc(bytes);
}

void *onceover_smpi_calloc(size_t count, size_t bytes, const char *file, int line) {
  (void)file, (void)line;
  return onceover_calloc(count, bytes);
}

void onceover_smpi_free(void *memory) { onceover_release(memory); }

void *onceover_smpi_realloc(void *memory, size_t bytes, const char *file, int line) {
  (void)file, (void)line;
  return onceover_realloc(memory, bytes);
}
