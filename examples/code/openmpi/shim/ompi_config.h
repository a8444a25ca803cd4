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
  MPI_Datatype super; /* &type->super is all that the files use of it */
} ompi_datatype_t;

static ompi_datatype_t shim_byte = {MPI_BYTE};
#undef MPI_BYTE
#define MPI_BYTE (&shim_byte)

typedef struct ompi_op_t {
  MPI_Op op;
} ompi_op_t;

typedef struct ompi_request_t {
  MPI_Request request;
  MPI_Status req_status;
} ompi_request_t;

#undef MPI_REQUEST_NULL
#define MPI_REQUEST_NULL NULL
#ifdef SMPI_H
#define _ucount count /* a status' number of bytes */
#endif

typedef struct {
  int unused;
} opal_object_t;

typedef struct ompi_info_t ompi_info_t;

typedef const int* ompi_count_array_t;
typedef const int* ompi_disp_array_t;
#define ompi_count_array_get(counts, k) ((size_t)(counts)[k])
#define ompi_disp_array_get(offsets, k) ((ptrdiff_t)(offsets)[k])

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
};

/* coll_base_util.h needs more of Open MPI than its users do; this is what they use of it. */
#define MCA_COLL_BASE_UTIL_EXPORT_H
#define ompi_coll_base_sendrecv_actual(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, \
                                       status)                                                                       \
  MPI_Sendrecv(given, (int)(ngiven), (giventype)->super, to, -(giventag), got, (int)(ngot), (gottype)->super, from,  \
               -(gottag), (in)->comm, status)
#define ompi_coll_base_sendrecv(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, status, \
                                self)                                                                                 \
  ompi_coll_base_sendrecv_actual(given, ngiven, giventype, to, giventag, got, ngot, gottype, from, gottag, in, status)

/* Open MPI's tags for collectives are negative; a user's aren't. */
#define MCA_PML_CALL(call) shim_##call
#define shim_send(at, n, type, to, tag, mode, in) mode(at, (int)(n), (type)->super, to, -(tag), (in)->comm)
#define shim_isend(at, n, type, to, tag, mode, in, request) \
  SHIM_I(mode)(at, (int)(n), (type)->super, to, -(tag), (in)->comm, shim_new_request(request))
#define shim_recv(at, n, type, from, tag, in, status) \
  MPI_Recv(at, (int)(n), (type)->super, from, -(tag), (in)->comm, status)
#define shim_irecv(at, n, type, from, tag, in, request) \
  MPI_Irecv(at, (int)(n), (type)->super, from, -(tag), (in)->comm, shim_new_request(request))
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

static inline int ompi_request_free(ompi_request_t** request) {
  free(*request);
  *request = NULL;
  return MPI_SUCCESS;
}

static inline int ompi_request_wait(ompi_request_t** request, MPI_Status* status) {
  if (*request == NULL) return MPI_SUCCESS;
  const int error = MPI_Wait(&(*request)->request, status);
  ompi_request_free(request);
  return error;
}

static inline int ompi_request_wait_all(size_t n, ompi_request_t** requests, MPI_Status* statuses) {
  int error = MPI_SUCCESS;
  for (size_t k = 0; k < n && error == MPI_SUCCESS; ++k)
    error = ompi_request_wait(&requests[k], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k]);
  return error;
}

#define ompi_op_reduce(op_, from, into, n, type) MPI_Reduce_local(from, into, (int)(n), (type)->super, (op_)->op)

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
  return MPI_Type_get_extent(type->super, low, extent);
}

static inline int ompi_datatype_get_true_extent(ompi_datatype_t* type, ptrdiff_t* low, ptrdiff_t* extent) {
  return MPI_Type_get_true_extent(type->super, low, extent);
}

static inline int ompi_datatype_type_extent(ompi_datatype_t* type, ptrdiff_t* extent) {
  MPI_Aint low;
  return MPI_Type_get_extent(type->super, &low, extent);
}

static inline int ompi_datatype_type_size(ompi_datatype_t* type, size_t* size) {
  int bytes;
  const int error = MPI_Type_size(type->super, &bytes);
  *size = (size_t)bytes;
  return error;
}

/* The bytes that n elements cover, and in `gap` where the first of them lies. */
static inline ptrdiff_t opal_datatype_span(MPI_Datatype* type, size_t n, ptrdiff_t* gap) {
  MPI_Aint low, extent, true_extent;
  *gap = 0;
  if (n == 0) return 0;
  MPI_Type_get_extent(*type, &low, &extent);
  MPI_Type_get_true_extent(*type, gap, &true_extent);
  return true_extent + (ptrdiff_t)(n - 1) * extent;
}

/* For types without gaps, as those of verify are. */
static inline int ompi_datatype_copy_content_same_ddt(ompi_datatype_t* type, size_t n, char* to, const char* from) {
  size_t size;
  const int error = ompi_datatype_type_size(type, &size);
  memmove(to, from, n * size);
  return error;
}

static inline int ompi_datatype_sndrcv(const void* from, size_t ngiven, ompi_datatype_t* giventype, void* to,
                                       size_t ngot, ompi_datatype_t* gottype) {
  (void)ngot, (void)gottype;
  return ompi_datatype_copy_content_same_ddt(giventype, ngiven, (char*)to, (const char*)from);
}

static inline int ompi_datatype_create_contiguous(int n, ompi_datatype_t* of, ompi_datatype_t** type) {
  *type = (ompi_datatype_t*)calloc(1, sizeof **type);
  return MPI_Type_contiguous(n, of->super, &(*type)->super);
}

static inline int ompi_datatype_commit(ompi_datatype_t** type) {
  return MPI_Type_commit(&(*type)->super);
}

static inline int ompi_datatype_destroy(ompi_datatype_t** type) {
  const int error = MPI_Type_free(&(*type)->super);
  free(*type);
  *type = NULL;
  return error;
}

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
