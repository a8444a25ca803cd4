/* UCP's sends and receives with tags, over MPI's. A message of up to SETTING(eager) bytes is copied, and its send has
 * ended when ucp_tag_send_nbx returns; a longer one waits for its receive. With SETTING(late) nothing ends at once, and
 * each call of ucp_worker_progress tells of one request, the newest first. */
#include "ucp.h"

#include "algorithm.h"
#include "components/tl/ucp/tl_ucp_tag.h"
#include "ucc/api/ucc.h"

enum { is_free = 1, is_told = 2 };

typedef struct request {
  MPI_Request mpi;
  bool is_done; /* as MPI has it, and nobody was told */
  int state;    /* of is_free and is_told */
  ucp_send_nbx_callback_t sent;
  ucp_tag_recv_nbx_callback_t received;
  void* data;
  ucp_tag_recv_info_t info;
} request;

static MPI_Comm over;
static int own_rank;
static unsigned long events;
static request** open_requests;
static int num_open, room;
/* What was copied, until MPI has sent it. */
static MPI_Request* copies;
static void** copied;
static int num_copies, room_copies;

void stand_in_fail(const char* why) {
  fprintf(stderr, "UCP's stand-in: %s\n", why);
  abort();
}

void stand_in_begin(MPI_Comm comm) {
  over = comm;
  MPI_Comm_rank(comm, &own_rank);
}

ucp_ep_h stand_in_endpoint(int rank) {
  return (ucp_ep_h)(intptr_t)(rank + 1);
}

unsigned long stand_in_events(void) {
  return events;
}

static void* grown(void* list, int used, int* room_for, size_t size) {
  if (used < *room_for) return list;
  *room_for = 2 * *room_for + 16;
  return realloc(list, (size_t)*room_for * size);
}

/* All tags of one team: a number of the collective's, and who sends. */
static int message_of(ucp_tag_t tag) {
  const ucp_tag_t known = (UCC_MASK(UCC_TL_UCP_TAG_BITS) << UCC_TL_UCP_TAG_BITS_OFFSET) |
                          (UCC_MASK(UCC_TL_UCP_SENDER_BITS) << UCC_TL_UCP_SENDER_BITS_OFFSET);
  if (tag & ~known) stand_in_fail("a tag of another team");
  return (int)(tag >> UCC_TL_UCP_TAG_BITS_OFFSET);
}

/* A send or receive begins: the bytes of its message. */
static int begun(size_t count, const ucp_request_param_t* param) {
  const size_t each = param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE ? param->datatype >> 3 : 1;
  if (count * each > INT_MAX) stand_in_fail("a message of over 2 GiB");
  ++events;
  return (int)(count * each);
}

static request* new_request(const ucp_request_param_t* param, bool is_send) {
  if (param->op_attr_mask & UCP_OP_ATTR_FIELD_REQUEST) stand_in_fail("a request of the caller's own");
  request* made = calloc(1, sizeof *made);
  if (made == NULL) stand_in_fail("out of memory");
  if (param->op_attr_mask & UCP_OP_ATTR_FIELD_CALLBACK) {
    if (is_send)
      made->sent = param->cb.send;
    else
      made->received = param->cb.recv;
  }
  if (param->op_attr_mask & UCP_OP_ATTR_FIELD_USER_DATA) made->data = param->user_data;
  return made;
}

static ucs_status_ptr_t opened(request* made) {
  open_requests = grown(open_requests, num_open, &room, sizeof *open_requests);
  open_requests[num_open++] = made;
  return made;
}

static void send_copy(const void* buffer, int bytes, int to, int message) {
  int same_room = room_copies;
  copied = grown(copied, num_copies, &same_room, sizeof *copied);
  copies = grown(copies, num_copies, &room_copies, sizeof *copies);
  void* copy = malloc((size_t)bytes + 1);
  if (bytes > 0) memcpy(copy, buffer, (size_t)bytes);
  copied[num_copies] = copy;
  MPI_Isend(copy, bytes, MPI_BYTE, to, message, over, &copies[num_copies++]);
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h to, const void* buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* param) {
  const int bytes = begun(count, param), message = message_of(tag), rank = (int)(intptr_t)to - 1;
  const bool may_end = !(param->op_attr_mask & UCP_OP_ATTR_FLAG_NO_IMM_CMPL);
  if ((int)UCC_TL_UCP_GET_SENDER(tag) != own_rank) stand_in_fail("a tag that names another sender");
  if (bytes <= SETTING(eager)) {
    send_copy(buffer, bytes, rank, message);
    if (may_end && !SETTING(late)) return NULL;
    request* made = new_request(param, true);
    made->mpi = MPI_REQUEST_NULL;
    made->is_done = true;
    return opened(made);
  }
  request* made = new_request(param, true);
  MPI_Issend(buffer, bytes, MPI_BYTE, rank, message, over, &made->mpi);
  return opened(made);
}

static void note_received(request* done, const MPI_Status* status) {
  int bytes = 0;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  done->is_done = true;
  done->info.length = (size_t)bytes;
}

ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void* buffer, size_t count, ucp_tag_t tag, ucp_tag_t mask,
                                  const ucp_request_param_t* param) {
  const int bytes = begun(count, param), message = message_of(tag);
  const bool may_end = !(param->op_attr_mask & UCP_OP_ATTR_FLAG_NO_IMM_CMPL);
  (void)worker;
  if (mask != UINT64_MAX) stand_in_fail("a receive of any of several tags");
  request* made = new_request(param, false);
  made->info.sender_tag = tag;
  MPI_Irecv(buffer, bytes, MPI_BYTE, (int)UCC_TL_UCP_GET_SENDER(tag), message, over, &made->mpi);
  if (may_end && !SETTING(late)) {
    int is_there = 0;
    MPI_Status status;
    MPI_Test(&made->mpi, &is_there, &status);
    if (is_there) {
      free(made);
      return NULL;
    }
  }
  return opened(made);
}

/* Asks MPI which open requests have ended; waits for one if it `must`. */
static void look(bool must) {
  MPI_Request* all = malloc((size_t)(num_open + 1) * sizeof *all);
  MPI_Status* statuses = malloc((size_t)(num_open + 1) * sizeof *statuses);
  int* which = malloc((size_t)(num_open + 1) * sizeof *which);
  int count = 0;
  for (int k = 0; k < num_open; ++k) all[k] = open_requests[k]->is_done ? MPI_REQUEST_NULL : open_requests[k]->mpi;
  if (must)
    MPI_Waitsome(num_open, all, &count, which, statuses);
  else
    MPI_Testsome(num_open, all, &count, which, statuses);
  for (int k = 0; k < count; ++k) {
    request* done = open_requests[which[k]];
    done->mpi = MPI_REQUEST_NULL;
    note_received(done, &statuses[k]);
  }
  free(all);
  free(statuses);
  free(which);
}

static bool is_waiting(void) {
  for (int k = 0; k < num_open; ++k)
    if (!open_requests[k]->is_done) return true;
  return false;
}

/* The next one to tell of. */
static request* taken(void) {
  for (int n = 0; n < num_open; ++n) {
    const int k = SETTING(late) ? num_open - 1 - n : n;
    request* found = open_requests[k];
    if (!found->is_done) continue;
    memmove(&open_requests[k], &open_requests[k + 1], (size_t)(num_open - 1 - k) * sizeof *open_requests);
    --num_open;
    return found;
  }
  return NULL;
}

static void tell(request* done) {
  ++events;
  done->state |= is_told;
  const bool was_free = (done->state & is_free) != 0;
  if (done->sent != NULL)
    done->sent(done, UCS_OK, done->data);
  else if (done->received != NULL)
    done->received(done, UCS_OK, &done->info, done->data);
  if (was_free) free(done);
}

unsigned ucp_worker_progress(ucp_worker_h worker) {
  unsigned told = 0;
  (void)worker;
  if (is_waiting()) look(false);
  for (request* done; (done = taken()) != NULL;) {
    tell(done);
    ++told;
    if (SETTING(late)) break;
  }
  return told;
}

ucs_status_t ucp_request_check_status(void* any) {
  return ((request*)any)->state & is_told ? UCS_OK : UCS_INPROGRESS;
}

void ucp_request_free(void* any) {
  request* freed = any;
  if (freed->state & is_told)
    free(freed);
  else
    freed->state |= is_free;
}

bool stand_in_wait(void) {
  for (int k = 0; k < num_open; ++k)
    if (open_requests[k]->is_done) return true;
  if (num_open == 0) return false;
  look(true);
  return true;
}

void stand_in_end(void) {
  if (num_open > 0) stand_in_fail("the collective has ended, and a send or receive of it hasn't");
  MPI_Waitall(num_copies, copies, MPI_STATUSES_IGNORE);
  for (int k = 0; k < num_copies; ++k) free(copied[k]);
  num_copies = 0;
}

void ucp_request_cancel(ucp_worker_h worker, void* any) {
  (void)worker, (void)any;
  stand_in_fail("a request is cancelled, after an error");
}

/* Operations on the memory of others aren't judged: the table says so. */
#define NOT_JUDGED(result, name, ...)     \
  result name(__VA_ARGS__) {              \
    stand_in_fail(#name " isn't judged"); \
  }
NOT_JUDGED(ucs_status_t, ucp_mem_map, ucp_context_h a, const ucp_mem_map_params_t* b, ucp_mem_h* c)
NOT_JUDGED(ucs_status_t, ucp_mem_unmap, ucp_context_h a, ucp_mem_h b)
NOT_JUDGED(ucs_status_t, ucp_rkey_pack, ucp_context_h a, ucp_mem_h b, void** c, size_t* d)
NOT_JUDGED(void, ucp_rkey_buffer_release, void* a)
NOT_JUDGED(ucs_status_t, ucp_ep_rkey_unpack, ucp_ep_h a, const void* b, ucp_rkey_h* c)
NOT_JUDGED(void, ucp_rkey_destroy, ucp_rkey_h a)
NOT_JUDGED(ucs_status_ptr_t, ucp_put_nbx, ucp_ep_h a, const void* b, size_t c, uint64_t d, ucp_rkey_h e,
           const ucp_request_param_t* f)
NOT_JUDGED(ucs_status_ptr_t, ucp_get_nbx, ucp_ep_h a, void* b, size_t c, uint64_t d, ucp_rkey_h e,
           const ucp_request_param_t* f)
NOT_JUDGED(ucs_status_ptr_t, ucp_atomic_op_nbx, ucp_ep_h a, ucp_atomic_op_t b, const void* c, size_t d, uint64_t e,
           ucp_rkey_h f, const ucp_request_param_t* g)
NOT_JUDGED(ucs_status_ptr_t, ucp_ep_flush_nbx, ucp_ep_h a, const ucp_request_param_t* b)
NOT_JUDGED(ucs_status_ptr_t, ucp_worker_flush_nbx, ucp_worker_h a, const ucp_request_param_t* b)
NOT_JUDGED(ucs_status_t, ucp_worker_fence, ucp_worker_h a)
