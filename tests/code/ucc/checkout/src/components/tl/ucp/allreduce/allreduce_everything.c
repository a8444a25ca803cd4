/* Each part uses the stand-in between the ranks of a ring, and ends the program where it doesn't do as it should. */
#include "components/ec/ucc_ec.h"
#include "components/mc/ucc_mc.h"
#include "components/topo/ucc_topo.h"
#include "requests.h"

enum { length = 16, polls = 40 };
typedef int numbers[length];

static void fill(numbers to, int rank, int message) {
  for (int k = 0; k < length; ++k) to[k] = 10000 * rank + 100 * message + k;
}

static void check(const numbers got, int rank, int message) {
  numbers right;
  fill(right, rank, message);
  CHECK(memcmp(got, right, sizeof right) == 0);
}

/* Messages that nobody expects yet: each is for its tag, and a buffer may change once its send has ended. */
static void check_unexpected(int rank, int next, int previous) {
  numbers out[3], in[3];
  note sent[3], got[3];
  for (int k = 0; k < 3; ++k) {
    fill(out[k], rank, k);
    start_send(&sent[k], out[k], sizeof out[k], next, k, rank);
    CHECK(sent[k].was_immediate == (sizeof out[k] <= (size_t)SETTING(eager) && !SETTING(late)));
    if (sent[k].times > 0) memset(out[k], -1, sizeof out[k]);
  }
  poll(polls);
  for (int k = 2; k >= 0; --k) start_receive(&got[k], in[k], sizeof in[k], previous, k);
  for (int k = 0; k < 3; ++k) {
    finish(&got[k]);
    check(in[k], previous, k);
    CHECK(got[k].was_immediate || got[k].length == sizeof in[k]);
    CHECK(!SETTING(late) || !got[k].was_immediate);
  }
  for (int k = 0; k < 3; ++k) finish(&sent[k]);
}

/* Of two messages with one tag the first is received first. */
static void check_order(int rank, int next, int previous) {
  numbers out[2], in[2];
  note sent[2], got[2];
  for (int k = 0; k < 2; ++k) {
    start_receive(&got[k], in[k], sizeof in[k], previous, 9);
    fill(out[k], rank, k);
    start_send(&sent[k], out[k], sizeof out[k], next, 9, rank);
  }
  for (int k = 1; k >= 0; --k) {
    finish(&got[k]);
    finish(&sent[k]);
    check(in[k], previous, k);
  }
}

/* From both sides by one tag: each is from whom the tag says. */
static void check_senders(int rank, int next, int previous) {
  numbers out[2], in[2];
  note sent[2], got[2];
  if (next == previous) return;
  start_receive(&got[0], in[0], sizeof in[0], next, 8);
  start_receive(&got[1], in[1], sizeof in[1], previous, 8);
  fill(out[0], rank, 0);
  fill(out[1], rank, 1);
  start_send(&sent[0], out[0], sizeof out[0], previous, 8, rank);
  start_send(&sent[1], out[1], sizeof out[1], next, 8, rank);
  for (int k = 0; k < 2; ++k) {
    finish(&got[k]);
    finish(&sent[k]);
  }
  check(in[0], next, 0);
  check(in[1], previous, 1);
}

/* A long message waits for its receive, and a short one doesn't. */
static void check_rendezvous(int rank, int next, int previous) {
  numbers out, in;
  note sent, told, go, got;
  fill(out, rank, 5);
  start_send(&sent, out, sizeof out, next, 5, rank);
  poll(polls);
  CHECK(sent.times == (sizeof out <= (size_t)SETTING(eager)));
  start_send(&told, NULL, 0, next, 6, rank);
  start_receive(&go, NULL, 0, previous, 6);
  finish(&go);
  CHECK(go.length == 0);
  start_receive(&got, in, sizeof in, previous, 5);
  finish(&got);
  check(in, previous, 5);
  finish(&sent);
  finish(&told);
}

/* A receive has ended when its message is there, and not with another one. */
static void check_partial(int rank, int next, int previous) {
  numbers out[2], in[2];
  note sent[2], got[2], ack, acked;
  for (int k = 1; k >= 0; --k) start_receive(&got[k], in[k], sizeof in[k], previous, 20 + k);
  fill(out[0], rank, 20);
  start_send(&sent[0], out[0], sizeof out[0], next, 20, rank);
  finish(&got[0]);
  poll(polls);
  CHECK(got[1].times == 0);
  check(in[0], previous, 20);
  start_send(&ack, NULL, 0, previous, 22, rank);
  start_receive(&acked, NULL, 0, next, 22);
  finish(&acked);
  fill(out[1], rank, 21);
  start_send(&sent[1], out[1], sizeof out[1], next, 21, rank);
  finish(&got[1]);
  check(in[1], previous, 21);
  for (int k = 0; k < 2; ++k) finish(&sent[k]);
  finish(&ack);
}

/* Late, each call tells of one, the newest first; else of all. */
static void check_late(int rank, int next, int previous) {
  note sent[3], got[3];
  ucp_request_param_t param;
  for (int k = 0; k < 3; ++k) {
    param = parameters(&sent[k], 0);
    memset(&sent[k], 0, sizeof sent[k]);
    sent[k].tag = TAG(30 + k, rank);
    param.cb.send = is_sent;
    param.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
    started(&sent[k], ucp_tag_send_nbx(stand_in_endpoint(next), NULL, 0, sent[k].tag, &param));
    CHECK(!sent[k].was_immediate);
  }
  if (SETTING(late)) {
    for (int k = 2; k >= 0; --k) {
      CHECK(ucp_worker_progress(NULL) == 1);
      CHECK(told_last == 30 + k);
    }
  } else {
    CHECK(ucp_worker_progress(NULL) == 3);
    CHECK(told_last == 32);
  }
  for (int k = 0; k < 3; ++k) {
    start_receive(&got[k], NULL, 0, previous, 30 + k);
    finish(&got[k]);
  }
}

/* Requests without a callback, which are asked, or freed before they have ended. */
static void check_requests(int rank, int next, int previous) {
  numbers out, in;
  note freed;
  ucp_request_param_t param;
  memset(&param, 0, sizeof param);
  param.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  fill(out, rank, 40);
  void* received = ucp_tag_recv_nbx(NULL, in, sizeof in, TAG(40, previous), UINT64_MAX, &param);
  CHECK(UCS_PTR_IS_PTR(received) && ucp_request_check_status(received) == UCS_INPROGRESS);
  void* sent = ucp_tag_send_nbx(stand_in_endpoint(next), out, sizeof out, TAG(40, rank), &param);
  CHECK(UCS_PTR_IS_PTR(sent) && ucp_request_check_status(sent) == UCS_INPROGRESS);
  while (ucp_request_check_status(received) != UCS_OK)
    if (ucp_worker_progress(NULL) == 0) CHECK(stand_in_wait());
  check(in, previous, 40);
  while (ucp_request_check_status(sent) != UCS_OK)
    if (ucp_worker_progress(NULL) == 0) CHECK(stand_in_wait());
  ucp_request_free(received);
  ucp_request_free(sent);
  /* Two elements of a datatype; its callback comes though it was freed. */
  start_receive(&freed, in, sizeof in, previous, 41);
  param.op_attr_mask = UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.datatype = ucp_dt_make_contig(sizeof out / 2);
  ucp_request_free(ucp_tag_send_nbx(stand_in_endpoint(next), out, 2, TAG(41, rank), &param));
  finish(&freed);
  check(in, previous, 40);
  while (stand_in_wait()) ucp_worker_progress(NULL);
}

/* Pools: what they hold is made and unmade. */
static int made, unmade;
static void make(ucs_mpool_t* pool, void* object, void* chunk) {
  (void)pool, (void)chunk;
  *(int*)object = ++made;
}
static void unmake(ucs_mpool_t* pool, void* object) {
  (void)pool;
  CHECK(*(int*)object == 7);
  ++unmade;
}

static void check_memory(int rank, int ranks) {
  const ucs_mpool_ops_t ops = {.obj_init = make, .obj_cleanup = unmake};
  ucs_mpool_params_t params;
  ucs_mpool_t pool;
  made = unmade = 0;
  ucs_mpool_params_reset(&params);
  params.elem_size = sizeof(numbers);
  params.ops = &ops;
  CHECK(ucs_mpool_init(&params, &pool) == UCS_OK);
  int *first = ucs_mpool_get(&pool), *second = ucs_mpool_get(&pool);
  CHECK(first != second && *first == 1 && *second == 2);
  *first = *second = 7;
  ucs_mpool_put(first);
  ucs_mpool_put(second);
  CHECK(unmade == 2);
  ucs_mpool_cleanup(&pool, 1);

  ucc_mc_buffer_header_t* header;
  numbers from;
  fill(from, rank, 50);
  CHECK(ucc_mc_alloc(&header, sizeof from, UCC_MEMORY_TYPE_HOST) == UCC_OK);
  ucc_mc_memcpy(header->addr, from, sizeof from, UCC_MEMORY_TYPE_HOST, UCC_MEMORY_TYPE_HOST);
  check(header->addr, rank, 50);
  ucc_mc_memset(header->addr, 0, sizeof from, UCC_MEMORY_TYPE_HOST);
  CHECK(((int*)header->addr)[length - 1] == 0);
  ucc_mc_free(header);

  const ucc_sbgp_t* by_host = ucc_topo_get_sbgp(NULL, UCC_SBGP_FULL_HOST_ORDERED);
  const ucc_rank_t* order = by_host->map.array.map;
  int seen = 0;
  CHECK(by_host->map.ep_num == (uint64_t)ranks && order[by_host->group_rank] == (ucc_rank_t)rank);
  for (int k = 0; k < ranks; ++k) seen |= 1 << order[k];
  CHECK(seen == (1 << ranks) - 1 && (ranks < 3 || order[1] == 2));
}

static void carry_out(const ucc_ee_executor_task_args_t* args) {
  ucc_ee_executor_task_t* task;
  int asked = 0;
  CHECK(ucc_ee_executor_task_post(NULL, args, &task) == UCC_OK);
  CHECK(stand_in_tasks == (SETTING(late) != 0));
  while (ucc_ee_executor_task_test(task) == UCC_INPROGRESS) ++asked;
  CHECK(asked == (SETTING(late) != 0) && stand_in_tasks == 0);
  CHECK(ucc_ee_executor_task_finalize(task) == UCC_OK);
}

/* The sum of all, from the first to the last: one half as sources, the other by a stride. A sum may be where a source
 * was. */
static void add(char* all, char* to, int n, int ranks) {
  const size_t bytes = (size_t)n * sizeof(uint64_t), half = (size_t)n / 2 * sizeof(uint64_t);
  ucc_ee_executor_task_args_t args;
  void* sources[16];
  memset(&args, 0, sizeof args);
  args.task_type = UCC_EE_EXECUTOR_TASK_REDUCE;
  for (int r = 0; r < ranks; ++r) sources[r] = args.reduce.srcs[r] = all + (size_t)r * bytes;
  if (ranks % 2 == 0) {
    args.flags = UCC_EEE_TASK_FLAG_REDUCE_SRCS_EXT;
    args.reduce.srcs_ext = sources;
  }
  args.reduce.dst = all + bytes;
  args.reduce.n_srcs = (uint16_t)ranks;
  args.reduce.count = (size_t)n / 2;
  if (n / 2 > 0) carry_out(&args);
  memset(&args, 0, sizeof args);
  args.task_type = UCC_EE_EXECUTOR_TASK_REDUCE_STRIDED;
  args.reduce_strided.dst = all + bytes + half;
  args.reduce_strided.src1 = all + half;
  args.reduce_strided.src2 = all + bytes + half;
  args.reduce_strided.stride = bytes;
  args.reduce_strided.n_src2 = (uint16_t)(ranks - 1);
  args.reduce_strided.count = (size_t)(n - n / 2);
  carry_out(&args);
  memset(&args, 0, sizeof args);
  args.task_type = UCC_EE_EXECUTOR_TASK_COPY;
  args.copy.src = all + bytes;
  args.copy.dst = to;
  args.copy.len = bytes;
  carry_out(&args);
}

void test_allreduce_everything(const void* from, void* to, int n, int rank, int ranks) {
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  const size_t bytes = (size_t)n * sizeof(uint64_t);
  const unsigned long before = stand_in_events();
  CHECK(!stand_in_wait());
  check_unexpected(rank, next, previous);
  CHECK(stand_in_events() >= before + 6);
  check_order(rank, next, previous);
  check_senders(rank, next, previous);
  check_rendezvous(rank, next, previous);
  check_partial(rank, next, previous);
  check_late(rank, next, previous);
  check_requests(rank, next, previous);
  check_memory(rank, ranks);

  char* all = malloc(bytes * (size_t)ranks);
  note* notes = malloc(2 * (size_t)ranks * sizeof *notes);
  memcpy(all + (size_t)rank * bytes, from, bytes);
  for (int r = 0; r < ranks; ++r)
    if (r != rank) start_receive(&notes[r], all + (size_t)r * bytes, bytes, r, 60);
  for (int r = 0; r < ranks; ++r)
    if (r != rank) start_send(&notes[ranks + r], from, bytes, r, 60, rank);
  for (int r = 0; r < ranks; ++r)
    if (r != rank) {
      finish(&notes[r]);
      finish(&notes[ranks + r]);
    }
  add(all, to, n, ranks);
  free(all);
  free(notes);
}
