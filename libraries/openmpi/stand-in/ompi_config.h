/* Stands in for the headers that Open MPI's collective files include, over MPI's public functions. What
 * ompi/mca/coll/base/ has itself (its tags, trees and declarations) is the checkout's own.
 *
 * Sends, receives and reductions are macros, so that a line that verify names is one of Open MPI's.
 */
#ifndef ONCEOVER_OMPI_CONFIG_H
#define ONCEOVER_OMPI_CONFIG_H

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define BEGIN_C_DECLS
#define END_C_DECLS
#define OMPI_DECLSPEC
#define OBJ_CLASS_DECLARATION(type) struct type
#define OPAL_LIKELY(condition) (condition)
#define OPAL_UNLIKELY(condition) (condition)
#define OPAL_OUTPUT(message)

enum { OMPI_SUCCESS = 0, OMPI_ERROR = -1, OMPI_ERR_OUT_OF_RESOURCE = -2 };

/* Open MPI's own mpi.h has some of these names, for types that it doesn't show. */
#define ompi_datatype_t shim_datatype
#define ompi_op_t shim_op
#define ompi_communicator_t shim_communicator
#define ompi_request_t shim_request
#define ompi_status_public_t MPI_Status

typedef struct ompi_datatype_t {
  struct shim_super {
    MPI_Datatype mpi;
    struct {
      int used; /* the pieces that a type is made of */
    } desc;
  } super;
  struct shim_pieces* pieces; /* of a type that is being made */
} ompi_datatype_t;

static ompi_datatype_t shim_byte = {{MPI_BYTE, {1}}};
#undef MPI_BYTE
#define MPI_BYTE (&shim_byte)
static ompi_datatype_t shim_packed = {{MPI_PACKED, {1}}};
#undef MPI_PACKED
#define MPI_PACKED (&shim_packed)

typedef struct ompi_op_t {
  MPI_Op op;
} ompi_op_t;

typedef struct ompi_request_t {
  MPI_Request request;
  MPI_Status req_status;
  bool is_persistent; /* it stays when it is complete */
} ompi_request_t;

#undef MPI_DATATYPE_NULL
#define MPI_DATATYPE_NULL ((ompi_datatype_t*)NULL)
#undef MPI_REQUEST_NULL
#define MPI_REQUEST_NULL NULL
#ifdef SMPI_H
#define _ucount count /* a status' number of bytes */
#endif

typedef struct {
  int unused;
} opal_object_t;

typedef struct ompi_info_t ompi_info_t;

/* Numbers for each rank, short or long. */
typedef struct shim_numbers {
  const int* short_ones;
  const ptrdiff_t* long_ones;
} ompi_count_array_t, ompi_disp_array_t;
static inline struct shim_numbers shim_short(const int* numbers) {
  const struct shim_numbers made = {numbers, NULL};
  return made;
}
static inline struct shim_numbers shim_long(const void* numbers) {
  const struct shim_numbers made = {NULL, (const ptrdiff_t*)numbers};
  return made;
}
static inline ptrdiff_t shim_number(struct shim_numbers numbers, ptrdiff_t k) {
  return numbers.short_ones != NULL ? numbers.short_ones[k] : numbers.long_ones[k];
}
#define SHIM_NUMBERS(data) \
  _Generic((data), int* : shim_short, const int* : shim_short, default : shim_long)((void*)(data))
#define OMPI_COUNT_ARRAY_CREATE(data) SHIM_NUMBERS(data)
#define OMPI_DISP_ARRAY_CREATE(data) SHIM_NUMBERS(data)
#define OMPI_COUNT_ARRAY_INIT(array, data) (*(array) = SHIM_NUMBERS(data))
#define OMPI_DISP_ARRAY_INIT(array, data) (*(array) = SHIM_NUMBERS(data))
#define ompi_count_array_get(counts, k) ((size_t)shim_number(counts, k))
#define ompi_disp_array_get(offsets, k) shim_number(offsets, k)

struct mca_coll_base_comm_t;

typedef struct mca_coll_base_module_t {
  struct mca_coll_base_comm_t* base_data; /* trees and requests that the files keep between calls */
} mca_coll_base_module_t;

struct shim_collectives;

typedef struct ompi_communicator_t {
  MPI_Comm comm;
  int c_cube_dim; /* the base 2 logarithm of its size, rounded up */
  const struct shim_collectives* c_coll;
} ompi_communicator_t;

/* The collectives of a communicator, which some of the files call. */
struct shim_collectives {
  int (*coll_allgather)(const void*, size_t, ompi_datatype_t*, void*, size_t, ompi_datatype_t*, ompi_communicator_t*,
                        mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_allgather_module;
  int (*coll_bcast)(void*, size_t, ompi_datatype_t*, int, ompi_communicator_t*, mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_bcast_module;
  int (*coll_gather)(const void*, size_t, ompi_datatype_t*, void*, size_t, ompi_datatype_t*, int, ompi_communicator_t*,
                     mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_gather_module;
  int (*coll_reduce)(const void*, void*, size_t, ompi_datatype_t*, ompi_op_t*, int, ompi_communicator_t*,
                     mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_reduce_module;
  int (*coll_scatter)(const void*, size_t, ompi_datatype_t*, void*, size_t, ompi_datatype_t*, int, ompi_communicator_t*,
                      mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_scatter_module;
  int (*coll_scatterv)(const void*, ompi_count_array_t, ompi_disp_array_t, ompi_datatype_t*, void*, size_t,
                       ompi_datatype_t*, int, ompi_communicator_t*, mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_scatterv_module;
  int (*coll_gatherv)(const void*, size_t, ompi_datatype_t*, void*, ompi_count_array_t, ompi_disp_array_t,
                      ompi_datatype_t*, int, ompi_communicator_t*, mca_coll_base_module_t*);
  mca_coll_base_module_t* coll_gatherv_module;
};

/* coll_base_util.h needs more of Open MPI than its users do; this is what they use of it. */
#define MCA_COLL_BASE_UTIL_EXPORT_H
#define ompi_coll_base_sendrecv_actual(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in,  \
                                       status)                                                                        \
  MPI_Sendrecv(given, (int)(ngiven), (giventype)->super.mpi, to, -(giventag), got, (int)(ngot), (gottype)->super.mpi, \
               from, -(gottag), (in)->comm, status)
#define ompi_coll_base_sendrecv(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, status, \
                                self)                                                                                 \
  ompi_coll_base_sendrecv_actual(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, status)

/* Open MPI's tags for collectives are negative; a user's aren't. */
#define MCA_PML_CALL(call) shim_##call
#define shim_send(at, n, type, to, tag, mode, in) mode(at, (int)(n), (type)->super.mpi, to, -(tag), (in)->comm)
#define shim_isend(at, n, type, to, tag, mode, in, request) \
  SHIM_I(mode)(at, (int)(n), (type)->super.mpi, to, -(tag), (in)->comm, shim_new_request(request))
#define shim_recv(at, n, type, from, tag, in, status) \
  MPI_Recv(at, (int)(n), (type)->super.mpi, from, -(tag), (in)->comm, status)
#define shim_irecv(at, n, type, from, tag, in, request) \
  MPI_Irecv(at, (int)(n), (type)->super.mpi, from, -(tag), (in)->comm, shim_new_request(request))
#define MCA_PML_BASE_SEND_STANDARD MPI_Send
#define MCA_PML_BASE_SEND_SYNCHRONOUS MPI_Ssend
#define SHIM_I(mode) SHIM_I_(mode)
#define SHIM_I_(mode) SHIM_I##mode
#define SHIM_IMPI_Send MPI_Isend
#define SHIM_IMPI_Ssend MPI_Issend

static inline MPI_Request* shim_new_request(ompi_request_t** request) {
  *request = (ompi_request_t*)calloc(1, sizeof **request);
  return &(*request)->request;
}

static inline MPI_Request* shim_new_persistent(ompi_request_t** request) {
  MPI_Request* made = shim_new_request(request);
  (*request)->is_persistent = true;
  return made;
}
#define shim_isend_init(at, n, type, to, tag, mode, in, request) \
  MPI_Send_init(at, (int)(n), (type)->super.mpi, to, -(tag), (in)->comm, shim_new_persistent(request))
#define shim_irecv_init(at, n, type, from, tag, in, request) \
  MPI_Recv_init(at, (int)(n), (type)->super.mpi, from, -(tag), (in)->comm, shim_new_persistent(request))
static inline int shim_start(size_t n, ompi_request_t** requests) {
  int error = MPI_SUCCESS;
  for (size_t k = 0; k < n && error == MPI_SUCCESS; ++k) error = MPI_Start(&requests[k]->request);
  return error;
}

static inline int ompi_request_free(ompi_request_t** request) {
  if ((*request)->is_persistent) MPI_Request_free(&(*request)->request);
  free(*request);
  *request = NULL;
  return MPI_SUCCESS;
}

static inline int ompi_request_wait(ompi_request_t** request, MPI_Status* status) {
  if (*request == NULL) return MPI_SUCCESS;
  const int error = MPI_Wait(&(*request)->request, status);
  if (!(*request)->is_persistent) ompi_request_free(request);
  return error;
}

static inline int ompi_request_wait_all(size_t n, ompi_request_t** requests, MPI_Status* statuses) {
  int error = MPI_SUCCESS;
  for (size_t k = 0; k < n && error == MPI_SUCCESS; ++k)
    error = ompi_request_wait(&requests[k], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k]);
  return error;
}

/* Waits until one request is complete; all of them complete: MPI_UNDEFINED. */
static inline int ompi_request_wait_any(size_t n, ompi_request_t** requests, int* index, MPI_Status* status) {
  MPI_Request* open = (MPI_Request*)malloc((n + 1) * sizeof *open);
  for (size_t k = 0; k < n; ++k) open[k] = requests[k] == NULL ? (MPI_Request)0 : requests[k]->request;
  const int error = PMPI_Waitany((int)n, open, index, status);
  free(open);
  if (error == MPI_SUCCESS && *index != MPI_UNDEFINED) ompi_request_free(&requests[*index]);
  return error;
}

#define ompi_op_reduce(op_, from, into, n, type) MPI_Reduce_local(from, into, (int)(n), (type)->super.mpi, (op_)->op)

static inline bool ompi_op_is_commute(ompi_op_t* op) {
  int commutes;
  MPI_Op_commutative(op->op, &commutes);
  return commutes;
}

static inline int ompi_comm_rank(ompi_communicator_t* in) {
  int rank;
  MPI_Comm_rank(in->comm, &rank);
  return rank;
}

static inline int ompi_comm_size(ompi_communicator_t* in) {
  int size;
  MPI_Comm_size(in->comm, &size);
  return size;
}

static inline int ompi_datatype_get_extent(ompi_datatype_t* type, ptrdiff_t* low, ptrdiff_t* extent) {
  return MPI_Type_get_extent(type->super.mpi, low, extent);
}

static inline int ompi_datatype_get_true_extent(ompi_datatype_t* type, ptrdiff_t* low, ptrdiff_t* extent) {
  return MPI_Type_get_true_extent(type->super.mpi, low, extent);
}

static inline int ompi_datatype_type_extent(ompi_datatype_t* type, ptrdiff_t* extent) {
  MPI_Aint low;
  return MPI_Type_get_extent(type->super.mpi, &low, extent);
}

static inline int ompi_datatype_type_size(ompi_datatype_t* type, size_t* size) {
  int bytes;
  const int error = MPI_Type_size(type->super.mpi, &bytes);
  *size = (size_t)bytes;
  return error;
}

/* The bytes that n elements cover, and in `gap` where the first of them lies. */
static inline ptrdiff_t opal_datatype_span(struct shim_super* of, size_t n, ptrdiff_t* gap) {
  MPI_Aint low, extent, true_extent;
  *gap = 0;
  if (n == 0) return 0;
  MPI_Type_get_extent(of->mpi, &low, &extent);
  MPI_Type_get_true_extent(of->mpi, gap, &true_extent);
  return true_extent + (ptrdiff_t)(n - 1) * extent;
}

/* Without what lies in gaps. */
static inline int ompi_datatype_copy_content_same_ddt(ompi_datatype_t* type, size_t n, char* to, const char* from) {
  size_t size;
  ptrdiff_t low, extent;
  int error = ompi_datatype_type_size(type, &size), at = 0;
  if (error != MPI_SUCCESS || n * size == 0) return error;
  MPI_Type_get_true_extent(type->super.mpi, &low, &extent);
  if ((size_t)extent == size) {
    memmove(to + low, from + low, n * size);
    return error;
  }
  char* packed = (char*)malloc(n * size);
  error = MPI_Pack((void*)from, (int)n, type->super.mpi, packed, (int)(n * size), &at, MPI_COMM_SELF);
  at = 0;
  if (error == MPI_SUCCESS)
    error = MPI_Unpack(packed, (int)(n * size), &at, to, (int)n, type->super.mpi, MPI_COMM_SELF);
  free(packed);
  return error;
}

static inline int ompi_datatype_sndrcv(const void* from, size_t ngiven, ompi_datatype_t* giventype, void* to,
                                       size_t ngot, ompi_datatype_t* gottype) {
  (void)ngot, (void)gottype;
  return ompi_datatype_copy_content_same_ddt(giventype, ngiven, (char*)to, (const char*)from);
}

/* A type that is made piece by piece, of one other type. */
struct shim_pieces {
  int count, room, *lengths;
  MPI_Aint* begins;
  MPI_Datatype of;
};

static inline int ompi_datatype_create_contiguous(int n, ompi_datatype_t* of, ompi_datatype_t** type) {
  *type = (ompi_datatype_t*)calloc(1, sizeof **type);
  return MPI_Type_contiguous(n, of->super.mpi, &(*type)->super.mpi);
}

static inline int ompi_datatype_commit(ompi_datatype_t** type) {
  struct shim_pieces* pieces = (*type)->pieces;
  if (pieces != NULL)
    MPI_Type_create_hindexed(pieces->count, pieces->lengths, pieces->begins, pieces->of, &(*type)->super.mpi);
  return MPI_Type_commit(&(*type)->super.mpi);
}

static inline int ompi_datatype_destroy(ompi_datatype_t** type) {
  const int error = MPI_Type_free(&(*type)->super.mpi);
  if ((*type)->pieces != NULL) {
    free((*type)->pieces->lengths);
    free((*type)->pieces->begins);
    free((*type)->pieces);
  }
  free(*type);
  *type = NULL;
  return error;
}

static inline int ompi_datatype_create_indexed(int n, ompi_count_array_t lengths, ompi_disp_array_t begins,
                                               ompi_datatype_t* of, ompi_datatype_t** type) {
  int* all = (int*)malloc(2 * (size_t)n * sizeof *all + 1);
  for (int k = 0; k < n; ++k) {
    all[k] = (int)shim_number(lengths, k);
    all[n + k] = (int)shim_number(begins, k);
  }
  *type = (ompi_datatype_t*)calloc(1, sizeof **type);
  const int error = MPI_Type_indexed(n, all, all + n, of->super.mpi, &(*type)->super.mpi);
  free(all);
  return error;
}

static inline ompi_datatype_t* ompi_datatype_create(int room) {
  ompi_datatype_t* type = (ompi_datatype_t*)calloc(1, sizeof *type);
  type->pieces = (struct shim_pieces*)calloc(1, sizeof *type->pieces);
  type->pieces->room = room;
  type->pieces->lengths = (int*)calloc((size_t)room + 1, sizeof(int));
  type->pieces->begins = (MPI_Aint*)calloc((size_t)room + 1, sizeof(MPI_Aint));
  return type;
}

static inline int ompi_datatype_add(ompi_datatype_t* type, ompi_datatype_t* of, size_t n, ptrdiff_t begin,
                                    ptrdiff_t extent) {
  struct shim_pieces* pieces = type->pieces;
  (void)extent;
  assert(pieces->count < pieces->room && (pieces->count == 0 || pieces->of == of->super.mpi));
  pieces->of = of->super.mpi;
  pieces->lengths[pieces->count] = (int)n;
  pieces->begins[pieces->count++] = begin;
  return MPI_SUCCESS;
}

/* Packing, for types without gaps, as those of verify are. */
typedef struct opal_convertor_t {
  const char* from;
  size_t size, at;
  uint32_t flags;
  struct {
    uint32_t remote_arch;
    const size_t* remote_sizes;
  } * master;
} opal_convertor_t;
typedef struct ompi_proc_t {
  struct {
    opal_convertor_t* proc_convertor;
  } super;
} ompi_proc_t;
static opal_convertor_t shim_convertor;
#define ompi_mpi_local_convertor (&shim_convertor)
#define OBJ_CONSTRUCT(object, type) ((void)(object))
#define OBJ_DESTRUCT(object) ((void)(object))
#define opal_local_arch 0U
#define CONVERTOR_SEND_CONVERSION 0
#define opal_datatype_compute_remote_size(type, sizes) ((size_t)0)
static inline ompi_proc_t* shim_peer(void) {
  static uint64_t master[2];
  static ompi_proc_t peer;
  shim_convertor.master = (void*)master;
  peer.super.proc_convertor = &shim_convertor;
  return &peer;
}
#define ompi_comm_peer_lookup(in, r) shim_peer()
#define opal_convertor_clone(from, to, flags) (*(to) = *(from))
static inline int opal_convertor_prepare_for_send(opal_convertor_t* to, struct shim_super* type, size_t n,
                                                  const void* from) {
  int size;
  MPI_Type_size(type->mpi, &size);
  to->from = (const char*)from;
  to->size = n * (size_t)size;
  to->at = 0;
  return MPI_SUCCESS;
}
#define opal_convertor_copy_and_prepare_for_send(as, type, n, from, flags, to) \
  opal_convertor_prepare_for_send(to, type, n, from)
#define opal_convertor_get_packed_size(of, bytes) (*(bytes) = (of)->size)
static inline int32_t opal_convertor_pack(opal_convertor_t* of, struct iovec* to, uint32_t* pieces, size_t* bytes) {
  const size_t left = of->size - of->at, n = to->iov_len < left ? to->iov_len : left;
  assert(*pieces == 1);
  memcpy(to->iov_base, of->from + of->at, n);
  of->at += n;
  *bytes = n;
  return of->at == of->size;
}

/* The lowest bits in reverse order. */
static inline unsigned int shim_mirror(unsigned int bits, int n) {
  unsigned int mirrored = 0;
  for (int k = 0; k < n; ++k) mirrored |= (bits >> k & 1U) << (n - 1 - k);
  return mirrored;
}
#define ompi_mirror_perm shim_mirror
#define opal_max(a, b) ((a) > (b) ? (a) : (b))
#define opal_min(a, b) ((a) < (b) ? (a) : (b))

/* The highest bit that is set among the lowest `bits`; -1: none is. */
static inline int opal_hibit(int value, int bits) {
  int bit = bits - 1;
  while (bit >= 0 && (value >> bit & 1) == 0) --bit;
  return bit;
}

/* The smallest power of two above the value. */
static inline int opal_next_poweroftwo(int value) {
  int power = 1;
  while (power <= value) power *= 2;
  return power;
}

/* The base 2 logarithm, rounded up. */
static inline int opal_cube_dim(int value) {
  int dim = 0;
  while (1 << dim < value) ++dim;
  return dim;
}

#define ompi_rounddown(value, factor) ((value) / (factor) * (factor))

typedef ompi_request_t* shim_handle;
#define MPI_Request shim_handle

/* An Open MPI that runs the code has functions of the same names. */
#pragma GCC visibility push(hidden)

#endif
