/* What lies below tl/ucp beside UCP: UCS's pools, UCC's memory and its executor, which adds up by the operator of the
 * call. */
#include "core.h"

#include <stdarg.h>

#include "algorithm.h"
#include "components/ec/ucc_ec.h"
#include "components/mc/ucc_mc.h"
#include "components/topo/ucc_topo.h"
#include "core/ucc_global_opts.h"
#include "tl_ucp_ep.h"
#include "ucp.h"

MPI_Datatype stand_in_type;
MPI_Op stand_in_op;
int stand_in_tasks;

const char* ucs_status_string(ucs_status_t status) {
  return status == UCS_OK ? "Success" : "an error of UCP's";
}

void ucs_log_fatal_error(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  stand_in_fail("a fatal error");
}

void ucs_strncpy_safe(char* to, const char* from, size_t n) {
  if (n > 0) snprintf(to, n, "%s", from);
}

ucc_global_config_t ucc_global_config;

#if __has_include("utils/debug/log_def.h")
#include "utils/debug/log_def.h"
void ucc_log_dispatch(const char* file, unsigned line, const char* function, ucc_log_level_t level,
                      ucc_log_component_config_t* component, const char* format, ...) {
  va_list values;
  (void)function, (void)component;
  if (level > UCC_LOG_LEVEL_WARN) return;
  fprintf(stderr, "%s:%u: ", file, line);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
}
#endif

void ucc_fatal_error_format(const char* file, unsigned line, const char* function, const char* format, ...) {
  va_list values;
  (void)function;
  fprintf(stderr, "%s:%u: ", file, line);
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  stand_in_fail("UCC gives up");
}

/* UCS's pools */
void ucs_mpool_params_reset(ucs_mpool_params_t* params) {
  memset(params, 0, sizeof *params);
}

ucs_status_t ucs_mpool_init(const ucs_mpool_params_t* params, ucs_mpool_t* pool) {
  pool->data = malloc(sizeof *pool->data);
  pool->data->ops = params->ops;
  pool->data->size = params->elem_size;
  return UCS_OK;
}

void ucs_mpool_cleanup(ucs_mpool_t* pool, int check) {
  (void)check;
  free(pool->data);
}

void* ucs_mpool_get(ucs_mpool_t* pool) {
  ucs_mpool_elem_t* made = malloc(sizeof *made + pool->data->size);
  memset(made + 1, 0xa5, pool->data->size);
  made->mpool = pool;
  if (pool->data->ops->obj_init != NULL) pool->data->ops->obj_init(pool, made + 1, NULL);
  return made + 1;
}

void ucs_mpool_put(void* object) {
  ucs_mpool_elem_t* at = (ucs_mpool_elem_t*)object - 1;
  if (at->mpool->data->ops->obj_cleanup != NULL) at->mpool->data->ops->obj_cleanup(at->mpool, object);
  free(at);
}

ucs_status_t ucs_mpool_hugetlb_malloc(ucs_mpool_t* pool, size_t* size, void** chunk) {
  return (void)pool, *chunk = malloc(*size), UCS_OK;
}

void ucs_mpool_hugetlb_free(ucs_mpool_t* pool, void* chunk) {
  (void)pool;
  free(chunk);
}

/* Memory */
ucc_status_t ucc_mc_alloc(ucc_mc_buffer_header_t** header, size_t size, ucc_memory_type_t type) {
  *header = malloc(sizeof **header);
  (*header)->mt = type;
  (*header)->from_pool = 0;
  (*header)->addr = malloc(size);
  return UCC_OK;
}

ucc_status_t ucc_mc_free(ucc_mc_buffer_header_t* header) {
  free(header->addr);
  free(header);
  return UCC_OK;
}

ucc_status_t ucc_mc_memcpy(void* to, const void* from, size_t size, ucc_memory_type_t into, ucc_memory_type_t of) {
  (void)into, (void)of;
  if (size > 0 && to != from) memcpy(to, from, size);
  return UCC_OK;
}

ucc_status_t ucc_mc_memset(void* at, int value, size_t size, ucc_memory_type_t type) {
  (void)type;
  memset(at, value, size);
  return UCC_OK;
}

ucc_status_t ucc_mc_flush(ucc_memory_type_t type) {
  return (void)type, UCC_OK;
}

/* Hosts: ranks are dealt out to two of them in turn, so that in the order of hosts those of the first come first. */
static ucc_sbgp_t by_host;

void stand_in_hosts(int rank, int ranks) {
  ucc_rank_t* order = malloc((size_t)ranks * sizeof *order);
  int used = 0;
  for (int host = 0; host < 2; ++host)
    for (int r = host; r < ranks; r += 2) {
      if (r == rank) by_host.group_rank = (ucc_rank_t)used;
      order[used++] = (ucc_rank_t)r;
    }
  free(by_host.rank_map);
  by_host.type = UCC_SBGP_FULL_HOST_ORDERED;
  by_host.status = UCC_SBGP_ENABLED;
  by_host.group_size = (ucc_rank_t)ranks;
  by_host.rank_map = order;
  by_host.map.type = UCC_EP_MAP_ARRAY;
  by_host.map.ep_num = (uint64_t)ranks;
  by_host.map.array.map = order;
  by_host.map.array.elem_size = sizeof *order;
}

ucc_sbgp_t* ucc_topo_get_sbgp(ucc_topo_t* topo, ucc_sbgp_type_t type) {
  (void)topo;
  if (type != UCC_SBGP_FULL_HOST_ORDERED) stand_in_fail("a group of ranks other than all by host");
  return &by_host;
}

/* Ranks are connected from the beginning, and nothing is triggered. */
ucc_status_t ucc_tl_ucp_connect_team_ep(ucc_tl_ucp_team_t* team, ucc_rank_t rank, ucp_ep_h* to) {
  (void)team, (void)rank, (void)to;
  stand_in_fail("a message to a rank that isn't in the team");
}

ucc_status_t ucc_triggered_post(ucc_ee_h ee, ucc_ev_t* event, ucc_coll_task_t* task) {
  (void)ee, (void)event, (void)task;
  stand_in_fail("a triggered collective");
}

/* The executor. With SETTING(late) a task is done when it is asked for the second time, and not before. */
struct task {
  ucc_ee_executor_task_t told;
  int asked;
};

ucc_status_t ucc_ee_executor_init(const ucc_ee_executor_params_t* params, ucc_ee_executor_t** executor) {
  *executor = calloc(1, sizeof **executor);
  (*executor)->ee_type = params->ee_type;
  return UCC_OK;
}

ucc_status_t ucc_ee_executor_start(ucc_ee_executor_t* executor, void* context) {
  return (void)executor, (void)context, UCC_OK;
}
ucc_status_t ucc_ee_executor_status(const ucc_ee_executor_t* executor) {
  return (void)executor, UCC_OK;
}
ucc_status_t ucc_ee_executor_stop(ucc_ee_executor_t* executor) {
  return (void)executor, UCC_OK;
}
ucc_status_t ucc_ee_executor_finalize(ucc_ee_executor_t* executor) {
  free(executor);
  return UCC_OK;
}

/* The sum of all sources, from the first to the last. */
static void add_up(void* to, void* const* from, size_t n, size_t count) {
  const size_t bytes = count * sizeof(uint64_t);
  char *sum = malloc(bytes), *next = malloc(bytes);
  memcpy(sum, from[0], bytes);
  for (size_t k = 1; k < n; ++k) {
    memcpy(next, from[k], bytes);
    MPI_Reduce_local(sum, next, (int)count, stand_in_type, stand_in_op);
    char* swap = sum;
    sum = next;
    next = swap;
  }
  memcpy(to, sum, bytes);
  free(sum);
  free(next);
}

/* Calls ask for sums, which are multiplied by nothing. */
static void check_sum(const ucc_ee_executor_task_args_t* args, ucc_reduction_op_t op) {
  if (op != UCC_OP_SUM) stand_in_fail("a reduction that isn't a sum");
  if (args->flags & UCC_EEE_TASK_FLAG_REDUCE_WITH_ALPHA) stand_in_fail("a sum that is multiplied");
}

static ucc_status_t carry_out(const ucc_ee_executor_task_args_t* args) {
  switch (args->task_type) {
    case UCC_EE_EXECUTOR_TASK_REDUCE:
      check_sum(args, args->reduce.op);
      add_up(args->reduce.dst,
             args->flags & UCC_EEE_TASK_FLAG_REDUCE_SRCS_EXT ? args->reduce.srcs_ext : args->reduce.srcs,
             args->reduce.n_srcs, args->reduce.count);
      return UCC_OK;
    case UCC_EE_EXECUTOR_TASK_REDUCE_STRIDED: {
      const ucc_eee_task_reduce_strided_t* strided = &args->reduce_strided;
      check_sum(args, strided->op);
      void** from = malloc((strided->n_src2 + 1u) * sizeof *from);
      from[0] = strided->src1;
      for (size_t k = 0; k < strided->n_src2; ++k) from[k + 1] = (char*)strided->src2 + k * strided->stride;
      add_up(strided->dst, from, strided->n_src2 + 1u, strided->count);
      free(from);
      return UCC_OK;
    }
    case UCC_EE_EXECUTOR_TASK_COPY: memcpy(args->copy.dst, args->copy.src, args->copy.len); return UCC_OK;
    default: return UCC_ERR_NOT_SUPPORTED;
  }
}

ucc_status_t ucc_ee_executor_task_post(ucc_ee_executor_t* executor, const ucc_ee_executor_task_args_t* args,
                                       ucc_ee_executor_task_t** task) {
  struct task* made = calloc(1, sizeof *made);
  made->told.eee = executor;
  made->told.args = *args;
  made->told.status = SETTING(late) ? UCC_INPROGRESS : carry_out(args);
  if (made->told.status == UCC_INPROGRESS) ++stand_in_tasks;
  *task = &made->told;
  return made->told.status < 0 ? made->told.status : UCC_OK;
}

ucc_status_t ucc_ee_executor_task_test(const ucc_ee_executor_task_t* task) {
  struct task* asked = (struct task*)task;
  if (asked->told.status == UCC_INPROGRESS && ++asked->asked == 2) {
    asked->told.status = carry_out(&asked->told.args);
    --stand_in_tasks;
  }
  return asked->told.status;
}

ucc_status_t ucc_ee_executor_task_finalize(ucc_ee_executor_task_t* task) {
  if (task->status == UCC_INPROGRESS) stand_in_fail("a sum is freed that isn't done");
  free(task);
  return UCC_OK;
}
