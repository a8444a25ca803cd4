/* Gives an algorithm of UCC the signature of MPI's collective: a team of tl/ucp, an init function of its, and progress
 * until the task is complete. */
#include "algorithm.h"
#include "config.h"
#include "core.h"
#include "ucp.h"
#include ALGORITHM_FILE

#include "core/ucc_progress_queue.h"
#include "core/ucc_team.h"
#include "tl_ucp_coll.h"
#include "tl_ucp_sendrecv.h"
#ifndef COPY_TASK_TEST /* the header has no guard */
#include "tl_ucp_copy.h"
#endif

static ucc_lib_info_t lib_info;
static ucc_context_t core_context;
static ucc_team_t core_team;
static ucc_tl_ucp_lib_t lib;
static ucc_tl_ucp_context_t context;
static ucc_tl_ucp_team_t team;
static ucc_ee_executor_t executor = {.ee_type = UCC_EE_CPU_THREAD};

/* What tl_ucp.c has: memory is of one kind. */
ucs_memory_type_t ucc_memtype_to_ucs[UCC_MEMORY_TYPE_LAST + 1];

/* What tl_ucp.c, the context and the parser of options have: no memory is registered, and every pipeline is set. */
void ucc_tl_ucp_pre_register_mem(ucc_tl_ucp_team_t* of, void* at, size_t size, ucc_memory_type_t type) {
  (void)of, (void)at, (void)size, (void)type;
}
int ucc_pipeline_params_is_auto(const ucc_pipeline_params_t* params) {
  return (void)params, 0;
}
ucc_status_t ucc_mc_get_attr(ucc_mc_attr_t* attributes, ucc_memory_type_t type) {
  (void)attributes, (void)type;
  stand_in_fail("memory of a GPU");
}

#define RANGED(name, radix)                      \
  do {                                           \
    ucc_list_head_init(&cfg->name.ranges);       \
    cfg->name.default_value = (unsigned)(radix); \
  } while (0)

/* UCC's own defaults (tl_ucp.c), and settings in their place. */
static void configure(ucc_tl_ucp_lib_config_t* cfg) {
#ifdef ONCEOVER_SETTING_radix
  const uint32_t radix = (uint32_t)SETTING(radix);
#else
  const uint32_t radix = 4;
#endif
  RANGED(allreduce_kn_radix, radix);
  RANGED(allreduce_sra_kn_radix, radix);
  RANGED(allgather_kn_radix, radix);
  RANGED(bcast_sag_kn_radix, radix);
  RANGED(reduce_srg_kn_radix, radix);
  cfg->fanin_kn_radix = cfg->fanout_kn_radix = cfg->barrier_kn_radix = radix;
  cfg->reduce_scatter_kn_radix = cfg->bcast_kn_radix = cfg->reduce_kn_radix = radix;
  cfg->gather_kn_radix = cfg->scatter_kn_radix = radix;
  cfg->scatter_kn_enable_recv_zcopy = UCC_CONFIG_AUTO;
  cfg->reduce_avg_pre_op = 1;
  cfg->reduce_scatter_ring_bidirectional = cfg->reduce_scatterv_ring_bidirectional = 1;
  cfg->alltoallv_hybrid_radix = 2;
  cfg->alltoallv_hybrid_buff_size = 256 * 1024;
  cfg->alltoallv_hybrid_chunk_byte_limit = 12 * 1024;
  cfg->alltoallv_hybrid_num_scratch_sends = 1;
  cfg->alltoallv_hybrid_num_scratch_recvs = 3;
  cfg->alltoallv_hybrid_pairwise_num_posts = 3;
  cfg->alltoall_pairwise_num_posts = cfg->alltoallv_pairwise_num_posts = UCC_ULUNITS_AUTO;
  cfg->allgather_batched_num_posts = UCC_ULUNITS_AUTO;
  cfg->scatterv_linear_num_posts = 16;
  cfg->allreduce_sra_kn_pipeline = (ucc_pipeline_params_t){
      .threshold = SIZE_MAX, .n_frags = 0, .frag_size = 0, .pdepth = 1, .order = UCC_PIPELINE_PARALLEL};
#ifdef ONCEOVER_SETTING_posts
  cfg->alltoall_pairwise_num_posts = cfg->alltoallv_pairwise_num_posts = (unsigned long)SETTING(posts);
  cfg->allgather_batched_num_posts = (unsigned long)SETTING(posts);
  cfg->gatherv_linear_num_posts = cfg->scatterv_linear_num_posts = (uint32_t)SETTING(posts);
#endif
#ifdef ONCEOVER_SETTING_both_ways
  cfg->reduce_scatter_ring_bidirectional = cfg->reduce_scatterv_ring_bidirectional = SETTING(both_ways);
#endif
#ifdef ONCEOVER_SETTING_chunk
  /* Elements of a chunk; 0: all are one. */
  if (SETTING(chunk) > 0)
    cfg->allreduce_sra_kn_pipeline = (ucc_pipeline_params_t){.threshold = (size_t)SETTING(chunk) * sizeof(uint64_t),
                                                             .frag_size = (size_t)SETTING(chunk) * sizeof(uint64_t),
                                                             .n_frags = 1,
                                                             .pdepth = 2,
                                                             .order = UCC_PIPELINE_PARALLEL};
#endif
#ifdef ONCEOVER_SETTING_zcopy
  cfg->scatter_kn_enable_recv_zcopy = SETTING(zcopy) ? UCC_CONFIG_ON : UCC_CONFIG_OFF;
#endif
  cfg->reduce_srg_kn_pipeline = cfg->allreduce_sra_kn_pipeline;
}

/* Who copies within a rank: the memory's functions, the executor or UCP. */
static void set_copies(void) {
#ifdef ONCEOVER_SETTING_copy
  const int copy = SETTING(copy);
#else
  const int copy = 1;
#endif
  if (copy == 0) {
    context.cfg.local_copy_type = UCC_TL_UCP_LOCAL_COPY_TYPE_MC;
    context.copy.post = ucc_tl_ucp_mc_copy_post;
    context.copy.test = ucc_tl_ucp_mc_copy_test;
    context.copy.finalize = ucc_tl_ucp_mc_copy_finalize;
  } else if (copy == 1) {
    context.cfg.local_copy_type = UCC_TL_UCP_LOCAL_COPY_TYPE_EC;
    context.copy.post = ucc_tl_ucp_ec_copy_post;
    context.copy.test = ucc_tl_ucp_ec_copy_test;
    context.copy.finalize = ucc_tl_ucp_ec_copy_finalize;
  } else {
    context.cfg.local_copy_type = UCC_TL_UCP_LOCAL_COPY_TYPE_UCP;
    context.copy.post = ucc_tl_ucp_ucp_copy_post;
    context.copy.test = ucc_tl_ucp_ucp_copy_test;
    context.copy.finalize = ucc_tl_ucp_ucp_copy_finalize;
  }
}

static void connect(int ranks) {
  context.worker.eps = malloc((size_t)ranks * sizeof *context.worker.eps);
  for (int r = 0; r < ranks; ++r) context.worker.eps[r] = stand_in_endpoint(r);
  context.sendrecv_cbs.ucc_tl_ucp_send_nb = ucc_tl_ucp_send_nb_st;
  context.sendrecv_cbs.ucc_tl_ucp_recv_nb = ucc_tl_ucp_recv_nb_st;
  context.sendrecv_cbs.ucc_tl_ucp_send_nz = ucc_tl_ucp_send_nz_st;
  context.sendrecv_cbs.ucc_tl_ucp_recv_nz = ucc_tl_ucp_recv_nz_st;
#if __has_include("tl_ucp_task.h")
  context.sendrecv_cbs.send_cb = ucc_tl_ucp_send_completion_cb_st;
  context.sendrecv_cbs.recv_cb = ucc_tl_ucp_recv_completion_cb_st;
  context.sendrecv_cbs.p2p_counter_inc = ucc_tl_ucp_send_recv_counter_inc_st;
#endif
  set_copies();
}

#ifdef ONCEOVER_SETTING_rings
/* Rings of all ranks, every second one backwards; none, as in a team without topology, if there are to be 0. */
static void make_rings(int rank, int ranks) {
#if __has_include("coll_patterns/ring.h")
  static ucc_ring_pattern_t rings;
  static ucc_ep_map_t* maps;
  const int count = SETTING(rings);
  if (count == 0) return;
  maps = realloc(maps, (size_t)count * sizeof *maps);
  for (int k = 0; k < count; ++k) {
    memset(&maps[k], 0, sizeof maps[k]);
    maps[k].type = UCC_EP_MAP_STRIDED;
    maps[k].ep_num = (uint64_t)ranks;
    maps[k].strided.start = k % 2 == 0 ? 0 : (uint64_t)ranks - 1;
    maps[k].strided.stride = k % 2 == 0 ? 1 : -1;
  }
  free(rings.ring_ranks);
  ucc_ring_pattern_init_map(maps, (unsigned)count, &rings);
  ucc_ring_pattern_set_rank(&rings, (ucc_rank_t)rank);
  team.cuda_ring = &rings;
#endif
}
#endif

/* A new team of all ranks. */
static void begin(MPI_Comm comm) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  stand_in_begin(comm);
  memset(&core_context, 0, sizeof core_context);
  memset(&context, 0, sizeof context);
  memset(&team, 0, sizeof team);
  memset(&core_team, 0, sizeof core_team);
  core_context.lib = &lib_info;
  core_context.thread_mode = UCC_THREAD_SINGLE;
  ucc_list_head_init(&core_context.progress_list);
  ucc_progress_queue_init(&core_context.pq, UCC_THREAD_SINGLE, 0);
  context.super.super.ucc_context = &core_context;
  context.super.super.lib = &lib.super.super;
  context.cfg.n_polls = 1;
  ucc_mpool_init(&context.req_mp, 0, ucc_max(sizeof(ucc_tl_ucp_task_t), sizeof(ucc_tl_ucp_schedule_t)), 0, 64, 8,
                 UINT_MAX, &ucc_coll_task_mpool_ops, UCC_THREAD_SINGLE, "tasks");
  connect(ranks);
  core_team.contexts = NULL;
  core_team.rank = (ucc_rank_t)rank;
  core_team.size = (ucc_rank_t)ranks;
  core_team.ctx_map.type = UCC_EP_MAP_FULL;
  core_team.ctx_map.ep_num = (uint64_t)ranks;
  team.super.super.context = &context.super.super;
  team.super.super.params.rank = (ucc_rank_t)rank;
  team.super.super.params.size = (ucc_rank_t)ranks;
  team.super.super.params.team = &core_team;
  team.super.super.params.map = core_team.ctx_map;
  team.status = UCC_OK;
  team.worker = &context.worker;
  configure(&lib.cfg);
  configure(&team.cfg);
  team.tuning_str = "";
#ifdef ONCEOVER_SETTING_reorder
  team.cfg.use_reordering = SETTING(reorder);
  stand_in_hosts(rank, ranks);
#endif
#ifdef ONCEOVER_SETTING_rings
  make_rings(rank, ranks);
#endif
  team.opt_radix = team.opt_radix_host = UCC_UUNITS_AUTO_RADIX;
}

static void end(void) {
  stand_in_end();
  ucc_progress_queue_finalize(core_context.pq);
  ucc_mpool_cleanup(&context.req_mp, 1);
  free(context.worker.eps);
}

static bool is_failed(ucc_status_t status, const char* where) {
  if (status >= 0) return false;
  fprintf(stderr, "UCC: %s: %s\n", where, ucc_status_string(status));
  return true;
}

/* Until the task is complete. Where nothing happens any more, waits for a send or receive; if there is none, it never
 * will be. */
static void progress(const ucc_coll_task_t* task) {
  enum { most_quiet = 8 };
  int quiet = 0;
  while (task->super.status == UCC_INPROGRESS) {
    const unsigned long before = stand_in_events();
    ucp_worker_progress(context.worker.ucp_worker);
    ucc_progress_queue(core_context.pq);
    quiet = stand_in_events() != before || stand_in_tasks > 0 ? 0 : quiet + 1;
    if (quiet < most_quiet || task->super.status != UCC_INPROGRESS) continue;
    if (!stand_in_wait()) stand_in_fail("the collective waits for nothing that could happen");
    quiet = 0;
  }
}

static ucc_status_t started(ucc_coll_task_t* task) {
  if (task->flags & UCC_COLL_TASK_FLAG_EXECUTOR) task->executor = &executor;
  return task->post(task);
}

static ucc_status_t initialized(ucc_base_coll_args_t* args, ucc_coll_task_t** task) {
#ifdef TAKES_TASK
  *task = &ucc_tl_ucp_init_task(args, &team.super.super)->super;
  return ALGORITHM(ucc_derived_of(*task, ucc_tl_ucp_task_t));
#else
  return ALGORITHM(args, &team.super.super, task);
#endif
}

static void check_elements(MPI_Datatype type) {
  int bytes;
  MPI_Type_size(type, &bytes);
  if (bytes != sizeof(uint64_t)) stand_in_fail("elements have 8 bytes: --digits is double or int64");
}

static int run(ucc_coll_args_t args, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ucc_base_coll_args_t all = {.args = args, .team = &core_team};
  ucc_coll_task_t* task = NULL;
  ucc_status_t status;
  check_elements(type);
  stand_in_type = type;
  stand_in_op = op;
  all.args.op = UCC_OP_SUM;
  begin(comm);
  if (is_failed(initialized(&all, &task), "the algorithm refuses the call")) return MPI_ERR_OTHER;
  if (is_failed(started(task), "it doesn't start")) return MPI_ERR_OTHER;
  progress(task);
  status = task->super.status;
  if (is_failed(status, "it ends") || is_failed(task->finalize(task), "it isn't finalized")) return MPI_ERR_OTHER;
  end();
  return MPI_SUCCESS;
}

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

static ucc_coll_args_t new_args(ucc_coll_type_t type, bool is_in_place) {
  ucc_coll_args_t args;
  memset(&args, 0, sizeof args);
  args.coll_type = type;
  if (is_in_place) {
    args.mask = UCC_COLL_ARGS_FIELD_FLAGS;
    args.flags = UCC_COLL_ARGS_FLAG_IN_PLACE;
  }
  return args;
}

static ucc_coll_buffer_info_t elements(const void* at, size_t n) {
  return (ucc_coll_buffer_info_t){.buffer = at == MPI_IN_PLACE ? NULL : (void*)at,
                                  .count = n,
                                  .datatype = UCC_DT_FLOAT64,
                                  .mem_type = UCC_MEMORY_TYPE_HOST};
}

static ucc_coll_buffer_info_v_t parts(const void* at, const int* n, const int* where) {
  return (ucc_coll_buffer_info_v_t){.buffer = at == MPI_IN_PLACE ? NULL : (void*)at,
                                    .counts = (ucc_count_t*)n,
                                    .displacements = (ucc_aint_t*)where,
                                    .datatype = UCC_DT_FLOAT64,
                                    .mem_type = UCC_MEMORY_TYPE_HOST};
}

/* UCC itself returns at once where there is nothing to do (UCC_COLL_TYPE_SKIP_ZERO_SIZE in ucc_coll.c). */
#define RETURN_IF(nothing) \
  if (nothing) return MPI_SUCCESS

#if defined(IS_allreduce)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_ALLREDUCE, from == MPI_IN_PLACE);
  RETURN_IF(n == 0);
  args.src.info = elements(from == MPI_IN_PLACE ? to : from, (size_t)n);
  args.dst.info = elements(to, (size_t)n);
  return run(args, type, op, comm);
}
#elif defined(IS_reduce)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_REDUCE, from == MPI_IN_PLACE);
  RETURN_IF(n == 0);
  args.root = (uint64_t)root;
  if (from != MPI_IN_PLACE) args.src.info = elements(from, (size_t)n);
  if (rank_in(comm) == root) args.dst.info = elements(to, (size_t)n);
  return run(args, type, op, comm);
}
#elif defined(IS_bcast)
int onceover_adapter(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_BCAST, false);
  RETURN_IF(n == 0);
  args.root = (uint64_t)root;
  args.src.info = elements(buffer, (size_t)n);
  return run(args, type, MPI_OP_NULL, comm);
}
#elif defined(IS_allgather)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_ALLGATHER, from == MPI_IN_PLACE);
  (void)n, (void)type;
  RETURN_IF(m == 0);
  args.src.info = elements(from, (size_t)m);
  args.dst.info = elements(to, (size_t)m * (size_t)size_of(comm));
  return run(args, into, MPI_OP_NULL, comm);
}
#elif defined(IS_allgatherv)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, const int* m, const int* at,
                     MPI_Datatype into, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_ALLGATHERV, from == MPI_IN_PLACE);
  (void)type;
  if (from != MPI_IN_PLACE) args.src.info = elements(from, (size_t)n);
  args.dst.info_v = parts(to, m, at);
  return run(args, into, MPI_OP_NULL, comm);
}
#elif defined(IS_alltoall)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_ALLTOALL, from == MPI_IN_PLACE);
  (void)n, (void)type;
  RETURN_IF(m == 0);
  args.src.info = elements(from, (size_t)m * (size_t)size_of(comm));
  args.dst.info = elements(to, (size_t)m * (size_t)size_of(comm));
  return run(args, into, MPI_OP_NULL, comm);
}
#elif defined(IS_alltoallv)
int onceover_adapter(const void* from, const int* n, const int* at, MPI_Datatype type, void* to, const int* m,
                     const int* to_at, MPI_Datatype into, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_ALLTOALLV, from == MPI_IN_PLACE);
  (void)type;
  args.src.info_v = parts(from, n, at);
  args.dst.info_v = parts(to, m, to_at);
  return run(args, into, MPI_OP_NULL, comm);
}
#elif defined(IS_gather)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, int root,
                     MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_GATHER, from == MPI_IN_PLACE);
  const bool is_root = rank_in(comm) == root;
  RETURN_IF((is_root ? m : n) == 0);
  args.root = (uint64_t)root;
  if (from != MPI_IN_PLACE) args.src.info = elements(from, (size_t)n);
  if (is_root) args.dst.info = elements(to, (size_t)m * (size_t)size_of(comm));
  return run(args, is_root ? into : type, MPI_OP_NULL, comm);
}
#elif defined(IS_gatherv)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, const int* m, const int* at,
                     MPI_Datatype into, int root, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_GATHERV, from == MPI_IN_PLACE);
  const bool is_root = rank_in(comm) == root;
  args.root = (uint64_t)root;
  if (from != MPI_IN_PLACE) args.src.info = elements(from, (size_t)n);
  if (is_root) args.dst.info_v = parts(to, m, at);
  return run(args, is_root ? into : type, MPI_OP_NULL, comm);
}
#elif defined(IS_scatter)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, int root,
                     MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_SCATTER, to == MPI_IN_PLACE);
  const bool is_root = rank_in(comm) == root;
  RETURN_IF((is_root ? n : m) == 0);
  args.root = (uint64_t)root;
  if (is_root) args.src.info = elements(from, (size_t)n * (size_t)size_of(comm));
  if (to != MPI_IN_PLACE) args.dst.info = elements(to, (size_t)m);
  return run(args, is_root ? type : into, MPI_OP_NULL, comm);
}
#elif defined(IS_scatterv)
int onceover_adapter(const void* from, const int* n, const int* at, MPI_Datatype type, void* to, int m,
                     MPI_Datatype into, int root, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_SCATTERV, to == MPI_IN_PLACE);
  const bool is_root = rank_in(comm) == root;
  args.root = (uint64_t)root;
  if (is_root) args.src.info_v = parts(from, n, at);
  if (to != MPI_IN_PLACE) args.dst.info = elements(to, (size_t)m);
  return run(args, is_root ? type : into, MPI_OP_NULL, comm);
}
#elif defined(IS_reduce_scatter_block) || defined(IS_reduce_scatter)
/* In place, UCC leaves a rank's part where it was, and MPI has it at the beginning: so UCC gets a copy of it all. */
static int run_in_place(ucc_coll_args_t args, void* to, size_t total, size_t begins, size_t own, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm) {
  check_elements(type);
  uint64_t* all = malloc(total * sizeof *all);
  memcpy(all, to, total * sizeof *all);
#ifdef IS_reduce_scatter
  args.dst.info_v.buffer = all;
#else
  args.dst.info.buffer = all;
#endif
  const int error = run(args, type, op, comm);
  if (own > 0) memcpy(to, all + begins, own * sizeof *all);
  free(all);
  return error;
}
#ifdef IS_reduce_scatter_block
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_REDUCE_SCATTER, from == MPI_IN_PLACE);
  const size_t total = (size_t)n * (size_t)size_of(comm);
  args.src.info = elements(from, total);
  args.dst.info = elements(to, from == MPI_IN_PLACE ? total : (size_t)n);
  if (from != MPI_IN_PLACE) return run(args, type, op, comm);
  return run_in_place(args, to, total, (size_t)rank_in(comm) * (size_t)n, (size_t)n, type, op, comm);
}
#else
int onceover_adapter(const void* from, void* to, const int* n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ucc_coll_args_t args = new_args(UCC_COLL_TYPE_REDUCE_SCATTERV, from == MPI_IN_PLACE);
  const int rank = rank_in(comm);
  size_t total = 0, begins = 0;
  for (int r = 0; r < size_of(comm); ++r) {
    if (r < rank) begins += (size_t)n[r];
    total += (size_t)n[r];
  }
  args.src.info = elements(from, total);
  args.dst.info_v = parts(to, n, NULL);
  if (from != MPI_IN_PLACE) return run(args, type, op, comm);
  return run_in_place(args, to, total, begins, (size_t)n[rank], type, op, comm);
}
#endif
#endif
