/* Stands in for the headers that MPICH's collective files include, over MPI's public functions. Constants, tags, types
 * of trees, arithmetic and lists are the checkout's own.
 *
 * Sends, receives and reductions are macros, so that a line that verify names is one of MPICH's.
 */
#ifndef ONCEOVER_MPIIMPL_H
#define ONCEOVER_MPIIMPL_H

#include <assert.h>
#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm.h"

#define ATTRIBUTE(what) __attribute__(what)
#define MPL_STATIC_INLINE_PREFIX static inline
#define MPL_STATIC_INLINE_SUFFIX
#define MPL_UNUSED __attribute__((unused))
#define likely(condition) (condition)
#define unlikely(condition) (condition)
#define HAVE_ERROR_CHECKING 1

/* Errors end the function, as in MPICH. */
#define MPIR_ERR_RECOVERABLE 0
#define MPIR_ERR_CHECK(error) \
  do {                        \
    if (error) goto fn_fail;  \
  } while (0)
#define MPIR_ERR_POP(error) goto fn_fail
#define MPIR_ERR_SETANDJUMP(error, kind, ...) \
  do {                                        \
    (error) = (kind);                         \
    goto fn_fail;                             \
  } while (0)
#define MPIR_ERR_SETANDJUMP1 MPIR_ERR_SETANDJUMP
#define MPIR_ERR_SET(error, kind, ...) ((error) = (kind))
#define MPIR_ERR_CHKANDJUMP(condition, error, kind, ...) \
  do {                                                   \
    if (condition) MPIR_ERR_SETANDJUMP(error, kind, ""); \
  } while (0)
#define MPIR_ERR_CHKANDJUMP1 MPIR_ERR_CHKANDJUMP
#define MPIR_ERR_CHKANDJUMP2 MPIR_ERR_CHKANDJUMP
#define MPIR_Err_create_code(...) MPI_ERR_OTHER
#define MPIR_Assert(condition) assert(condition)
#define MPIR_Assertp(condition) assert(condition)

#define MPIR_FUNC_ENTER
#define MPIR_FUNC_EXIT
#define MPL_DBG_MSG_FMT(...)
#define MPI_AINT_FMT_DEC_SPEC "%ld"
#define MAX_ALIGNMENT 16
#define DEBUG_PROGRESS_START
#define DEBUG_PROGRESS_CHECK

/* Memory. What is registered is freed together. */
#define MPL_malloc(bytes, kind) malloc(bytes)
#define MPL_calloc(n, bytes, kind) calloc(n, bytes)
#define MPL_realloc(memory, bytes, kind) realloc(memory, bytes)
#define MPL_free(memory) free(memory)
#define MPL_strdup(text) strdup(text)
#define MPIR_CHKLMEM_DECL() \
  void* shim_memory_[10];   \
  int shim_memories_ = 0
#define MPIR_CHKLMEM_REGISTER(pointer)                 \
  do {                                                 \
    assert(shim_memories_ < 10);                       \
    shim_memory_[shim_memories_++] = (void*)(pointer); \
  } while (0)
#define MPIR_CHKLMEM_MALLOC(pointer, bytes) \
  do {                                      \
    (pointer) = malloc(bytes);              \
    assert((pointer) != NULL);              \
    MPIR_CHKLMEM_REGISTER(pointer);         \
  } while (0)
#define MPIR_CHKLMEM_FREEALL()                                       \
  do {                                                               \
    while (shim_memories_ > 0) free(shim_memory_[--shim_memories_]); \
  } while (0)

#define MPL_MAX(a, b) ((a) > (b) ? (a) : (b))
#define MPL_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MPIR_Assign_trunc(to, from, type) ((to) = (type)(from))

/* Handles. Elements are of a derived datatype and a created operator, as those of a user may be. Where MPICH asserts
 * that an operator is MPI's own, it means that a vector may be cut, which holds for the operators of verify. */
#define HANDLE_KIND_BUILTIN 1
#define HANDLE_GET_KIND(handle) 3
#define HANDLE_IS_BUILTIN(handle) shim_is_builtin(handle)
#define shim_is_builtin(handle) _Generic((handle), MPI_Op : 1, default : 0)
#define MPIR_BYTE_INTERNAL MPI_BYTE
#define MPIR_INT_INTERNAL MPI_INT

#include "mpl_math.h" /* the checkout's own */
#include "utarray.h"
#include "utlist.h"

typedef struct MPIR_Request {
  MPI_Request request;
  bool is_used, is_complete, is_receive;
  MPI_Status status;
  struct MPIR_Request* next;
} MPIR_Request;

struct MPIR_Comm;
typedef struct MPIR_Comm MPIR_Comm;
typedef struct MPII_Genutil_sched_t* MPIR_TSP_sched_t;

#include "coll_types.h" /* the checkout's own */
#include "mpir_tags.h"

#define MAX_RADIX 8
enum { MPIR_COMM_KIND__INTRACOMM = 0, MPIR_COMM_KIND__INTERCOMM = 1 };

struct MPIR_Comm {
  MPI_Comm comm;
  int rank, local_size, remote_size, comm_kind;
  /* Hosts: which share memory. */
  MPIR_Comm *node_comm, *node_roots_comm;
  int local_rank, num_local, external_rank, num_external;
  int *intranode_table, *internode_table;
  bool is_consecutive;
  int next_tag;
  void* csel_comm;
  struct { /* what the checkout's files keep from call to call */
    int pofk[MAX_RADIX - 1], k[MAX_RADIX - 1], step1_sendto[MAX_RADIX - 1], step1_nrecvs[MAX_RADIX - 1];
    int* step1_recvfrom[MAX_RADIX - 1];
    int step2_nphases[MAX_RADIX - 1];
    int** step2_nbrs[MAX_RADIX - 1];
    int nbrs_defined[MAX_RADIX - 1];
    void** recexch_allreduce_nbr_buffer;
    int topo_aware_tree_root, topo_aware_tree_k;
    MPIR_Treealgo_tree_t* topo_aware_tree;
    int topo_aware_k_tree_root, topo_aware_k_tree_k;
    MPIR_Treealgo_tree_t* topo_aware_k_tree;
    int topo_wave_tree_root, topo_wave_tree_overhead, topo_wave_tree_lat_diff_groups, topo_wave_tree_lat_diff_switches,
        topo_wave_tree_lat_same_switches;
    MPIR_Treealgo_tree_t* topo_wave_tree;
  } coll;
};

/* Where processes are in a network of switches: nobody knows here. */
typedef uint64_t MPIR_Lpid;
#define MPIR_comm_rank_to_lpid(in, r) ((MPIR_Lpid)(r))
#define MPIR_LPID_WORLD_INDEX(place) 0
#define MPIR_LPID_WORLD_RANK(place) ((int)(place))
#define MPIR_COLL_ATTR_SYNC 1
static struct { int size, coords_dims, *coords; } MPIR_Process;

#define MPIR_COMM_RANK_SIZE(in, r, p) \
  do {                                \
    (r) = (in)->rank;                 \
    (p) = (in)->local_size;           \
  } while (0)
#define MPIR_Comm_is_parent_comm(in) ((in)->num_external > 0 && (in)->num_external != (in)->local_size)
#define MPII_Comm_is_node_consecutive(in) ((in)->is_consecutive)
#define MPIR_Get_intranode_rank(in, r) shim_node_rank(in, r)
#define MPIR_Get_internode_rank(in, r) ((in)->internode_table[r])

/* -1 for a rank of another host. */
static inline int shim_node_rank(MPIR_Comm* in, int r) {
  return in->internode_table[r] == in->external_rank ? in->intranode_table[r] : -1;
}

static inline int MPIR_Sched_next_tag(MPIR_Comm* in, int* tag) {
  *tag = MPIR_FIRST_NBC_TAG + in->next_tag++ % 10000;
  return MPI_SUCCESS;
}

/* Requests. */

MPIR_Request* shim_new_request(bool is_receive);
void shim_release(MPIR_Request* request);
bool shim_test(MPIR_Request* request);
int shim_wait(MPIR_Request* request, MPI_Status* status);
void shim_progress(void);

#define MPIC_Send(at, n, type, to, tag, in, attributes) MPI_Send(at, (int)(n), type, to, tag, (in)->comm)
#define MPIC_Recv(at, n, type, from, tag, in, status) MPI_Recv(at, (int)(n), type, from, tag, (in)->comm, status)
#define MPIC_Sendrecv(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, status,        \
                      attributes)                                                                                  \
  MPI_Sendrecv(given, (int)(ngiven), giventype, to, giventag, got, (int)(ngot), gottype, from, gottag, (in)->comm, \
               status)
#define MPIC_Sendrecv_replace(at, n, type, to, giventag, from, gottag, in, status, attributes) \
  MPI_Sendrecv_replace(at, (int)(n), type, to, giventag, from, gottag, (in)->comm, status)
#define MPIC_Isend(at, n, type, to, tag, in, made, attributes) \
  MPI_Isend(at, (int)(n), type, to, tag, (in)->comm, &(*(made) = shim_new_request(false))->request)
#define MPIC_Irecv(at, n, type, from, tag, in, made) \
  MPI_Irecv(at, (int)(n), type, from, tag, (in)->comm, &(*(made) = shim_new_request(true))->request)

/* Waits for a request, which stays the caller's. */
#define MPIC_Wait(request) shim_wait(request, MPI_STATUS_IGNORE)

/* Waits for all, and frees them. */
#define MPIC_Waitall(n, requests, statuses)                                                                     \
  ({                                                                                                            \
    int shim_error = MPI_SUCCESS;                                                                               \
    MPI_Status* shim_to = (statuses);                                                                           \
    for (int shim_k = 0; shim_k < (n); ++shim_k) {                                                              \
      const int shim_one =                                                                                      \
          shim_wait((requests)[shim_k], shim_to == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &shim_to[shim_k]); \
      if (shim_one != MPI_SUCCESS) shim_error = shim_one;                                                       \
      shim_release((requests)[shim_k]);                                                                         \
    }                                                                                                           \
    shim_error;                                                                                                 \
  })
#define MPIR_Request_is_complete(request) shim_test(request)
#define MPIR_Request_free(request) shim_release(request)
#define MPID_Progress_test(state) (shim_progress(), MPI_SUCCESS)

/* Data. */

int MPIR_Localcopy(const void* from, MPI_Aint ngiven, MPI_Datatype giventype, void* to, MPI_Aint ngot,
                   MPI_Datatype gottype);
#define MPIR_Reduce_local(from, into, n, type, op) MPI_Reduce_local(from, into, (int)(n), type, op)

static inline int shim_commutes(MPI_Op op) {
  int commutes;
  MPI_Op_commutative(op, &commutes);
  return commutes;
}
#define MPIR_Op_is_commutative(op) shim_commutes(op)

static inline MPI_Aint shim_extent(MPI_Datatype type) {
  MPI_Aint low, extent;
  MPI_Type_get_extent(type, &low, &extent);
  return extent;
}
#define MPIR_Datatype_get_extent_macro(type, extent) ((extent) = shim_extent(type))

static inline MPI_Aint shim_size(MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return size;
}
#define MPIR_Datatype_get_size_macro(type, size) ((size) = shim_size(type))
#define MPIR_Type_get_true_extent_impl(type, low, extent) MPI_Type_get_true_extent(type, low, extent)

/* Has the type no gaps? Only the types of verify and those without gaps are asked for. */
#define MPIR_Datatype_is_contig(type, is_contig) (*(is_contig) = shim_extent(type) == shim_size(type))
/* The order in which elements are added up shows, as that of floating-point numbers does. */
#define MPIR_Datatype_is_float(type, is_float) ((is_float) = 1)
#define MPIR_get_contig_ptr(at, low) ((char*)(at) + (low))

static inline int MPIR_Get_count_impl(const MPI_Status* status, MPI_Datatype type, MPI_Aint* n) {
  int count;
  const int error = MPI_Get_count((MPI_Status*)status, type, &count);
  *n = count;
  return error;
}

static inline int MPIR_Type_contiguous_x_impl(MPI_Aint n, MPI_Datatype of, MPI_Datatype* type) {
  return MPI_Type_contiguous((int)n, of, type);
}
#define MPIR_Type_commit_impl(type) MPI_Type_commit(type)
int shim_free_type(MPI_Datatype* type);
#define MPIR_Type_free_impl(type) shim_free_type(type)
int MPIR_Type_indexed_large_impl(MPI_Aint n, const MPI_Aint* lengths, const MPI_Aint* begins, MPI_Datatype of,
                                 MPI_Datatype* type);
int MPIR_Type_create_struct_large_impl(MPI_Aint n, const MPI_Aint* lengths, const MPI_Aint* begins,
                                       const MPI_Datatype* of, MPI_Datatype* type);
int MPIR_Type_create_indexed_block_large_impl(MPI_Aint n, MPI_Aint length, const MPI_Aint* begins, MPI_Datatype of,
                                              MPI_Datatype* type);
#define MPIR_Type_indexed_impl(n, lengths, begins, of, type) MPI_Type_indexed((int)(n), lengths, begins, of, type)

#define MPIR_TYPEREP_FLAG_NONE 0
int MPIR_Typerep_pack(const void* from, MPI_Aint n, MPI_Datatype type, MPI_Aint begin, void* to, MPI_Aint room,
                      MPI_Aint* packed, unsigned flags);
int MPIR_Typerep_unpack(const void* from, MPI_Aint bytes, void* to, MPI_Aint n, MPI_Datatype type, MPI_Aint begin,
                        MPI_Aint* unpacked, unsigned flags);
static inline int MPIR_Pack_size(MPI_Aint n, MPI_Datatype type, MPI_Aint* bytes) {
  *bytes = n * shim_size(type);
  return MPI_SUCCESS;
}

/* Memory of devices: there is none. */
typedef struct {
  int unused;
} MPL_pointer_attr_t;
typedef struct {
  int unused;
} MPIR_gpu_req;
#define MPIR_GPU_query_pointer_attr(at, attributes) ((void)(attributes))
#define MPL_gpu_attr_is_dev(attributes) 0
#define MPL_GPU_ENGINE_TYPE_COPY_HIGH_BANDWIDTH 0
#define MPIR_async_test(request, is_done) (*(is_done) = 1)
#define MPIR_Ilocalcopy_gpu(...) (assert(!"no memory is a device's"), MPI_SUCCESS)

/* Settings: MPICH's variables. */
#define MPIR_CVAR_CIRC_GRAPH_CHUNK_SIZE SETTING(chunk)
#define MPIR_CVAR_CIRC_GRAPH_Q_LEN SETTING(queue)
#define MPIR_CVAR_ALLTOALL_THROTTLE SETTING(throttle)
#define MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE SETTING(pipeline)
#define MPIR_CVAR_GATHER_VSMALL_MSG_SIZE SETTING(very_small)
#define MPIR_CVAR_BCAST_SHORT_MSG_SIZE SETTING(short_message)
#define MPIR_CVAR_BCAST_LONG_MSG_SIZE SETTING(long_message)
#define MPIR_CVAR_BCAST_MIN_PROCS SETTING(least_ranks)
#define MPIR_CVAR_BCAST_TOPO_REORDER_ENABLE 0
#define MPIR_CVAR_ALLREDUCE_TOPO_REORDER_ENABLE 0
#define MPIR_CVAR_BCAST_TOPO_OVERHEAD 0
#define MPIR_CVAR_BCAST_TOPO_DIFF_GROUPS 0
#define MPIR_CVAR_BCAST_TOPO_DIFF_SWITCHES 0
#define MPIR_CVAR_BCAST_TOPO_SAME_SWITCHES 0
#define MPIR_CVAR_ALLREDUCE_TOPO_OVERHEAD 0
#define MPIR_CVAR_ALLREDUCE_TOPO_DIFF_GROUPS 0
#define MPIR_CVAR_ALLREDUCE_TOPO_DIFF_SWITCHES 0
#define MPIR_CVAR_ALLREDUCE_TOPO_SAME_SWITCHES 0
#define MPIR_CVAR_ALLTOALLV_PAIRWISE_NEW SETTING(new_pairwise)
#define MPIR_CVAR_ALLTOALL_PAIRWISE_NEW SETTING(new_pairwise)
#define MPIR_CVAR_ALLTOALLW_PAIRWISE_NEW SETTING(new_pairwise)
#define MPIR_CVAR_COLL_TREE_DUMP 0
#define MPIR_CVAR_HIERARCHY_DUMP 0

/* The collectives that some algorithms call; adapter.c says which algorithm each is. */
#define SHIM_MOVES const void*, MPI_Aint, MPI_Datatype, void*, MPI_Aint, MPI_Datatype
#define SHIM_REDUCES const void*, void*, MPI_Aint, MPI_Datatype, MPI_Op
int MPIR_Allgather(SHIM_MOVES, MPIR_Comm*, int);
int MPIR_Allgatherv(const void*, MPI_Aint, MPI_Datatype, void*, const MPI_Aint*, const MPI_Aint*, MPI_Datatype,
                    MPIR_Comm*, int);
int MPIR_Allreduce(SHIM_REDUCES, MPIR_Comm*, int);
int MPIR_Bcast(void*, MPI_Aint, MPI_Datatype, int, MPIR_Comm*, int);
int MPIR_Reduce(SHIM_REDUCES, int, MPIR_Comm*, int);
int MPIR_Scan(SHIM_REDUCES, MPIR_Comm*, int);
#define MPIR_Allgather_fallback MPIR_Allgather

int MPIR_Allgatherv_intra_ring(const void*, MPI_Aint, MPI_Datatype, void*, const MPI_Aint*, const MPI_Aint*,
                               MPI_Datatype, MPIR_Comm*, int);
int MPIR_Allreduce_intra_recursive_doubling(SHIM_REDUCES, MPIR_Comm*, int);
int MPIR_Allreduce_intra_recexch(SHIM_REDUCES, MPIR_Comm*, int k, int single_phase, int);
int MPIR_Bcast_intra_binomial(void*, MPI_Aint, MPI_Datatype, int, MPIR_Comm*, int);
int MPIR_Bcast_intra_scatter_ring_allgather(void*, MPI_Aint, MPI_Datatype, int, MPIR_Comm*, int);
int MPIR_Reduce_intra_binomial(SHIM_REDUCES, int, MPIR_Comm*, int);
int MPIR_Scan_intra_recursive_doubling(SHIM_REDUCES, MPIR_Comm*, int);

/* Algorithms aren't chosen by rules here. */
#include "csel_container.h" /* the checkout's own */
#include "mpir_csel.h"
#define MPIR_Csel_search(rules, call) NULL

#include "recexchalgo.h"
#include "sched.h"
#include "treealgo.h"

/* An MPICH that runs the code has functions of the same names. */
#pragma GCC visibility push(hidden)

#endif
