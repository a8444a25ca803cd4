/* Gives an algorithm of Open MPI's coll/base the signature of MPI's collective. clang-format off: the order of these
 * files is no matter of taste. */
#include <ompi_config.h>

#include "algorithm.h"

#include ALGORITHM_FILE
/* The others that algorithms call. */
#ifndef IS_allgather
#include "coll_base_allgather.c"
#endif
#ifndef IS_bcast
#include "coll_base_bcast.c"
#endif
#ifndef IS_gather
#include "coll_base_gather.c"
#endif
#ifndef IS_reduce
#include "coll_base_reduce.c"
#endif
#ifndef IS_scatter
#include "coll_base_scatter.c"
#endif
#include "coll_base_topo.c"
/* clang-format on */

static mca_coll_base_comm_t kept; /* as Open MPI keeps trees and requests from call to call */
static mca_coll_base_module_t module = {&kept};

static int scatterv(const void* from, ompi_count_array_t n, ompi_disp_array_t at, ompi_datatype_t* type, void* to,
                    size_t m, ompi_datatype_t* into, int root, ompi_communicator_t* comm, mca_coll_base_module_t* self);

static const struct shim_collectives collectives = {
    ompi_coll_base_allgather_intra_ring,      &module, /* */
    ompi_coll_base_bcast_intra_basic_linear,  &module, /* */
    ompi_coll_base_gather_intra_basic_linear, &module, /* */
    ompi_coll_base_reduce_intra_basic_linear, &module, /* */
    ompi_coll_base_scatter_intra_basic_linear, &module, /* */
    scatterv, &module, /* */
    NULL, NULL, /* */
};

/* Each rank's part from the root, one after the other. */
static int scatterv(const void* from, ompi_count_array_t n, ompi_disp_array_t at, ompi_datatype_t* type, void* to,
                    size_t m, ompi_datatype_t* into, int root, ompi_communicator_t* comm, mca_coll_base_module_t* self) {
  ptrdiff_t extent;
  (void)self;
  if (ompi_comm_rank(comm) != root)
    return m == 0 ? MPI_SUCCESS : MPI_Recv(to, (int)m, into->super.mpi, root, 99, comm->comm, MPI_STATUS_IGNORE);
  ompi_datatype_type_extent(type, &extent);
  for (int k = 0; k < ompi_comm_size(comm); ++k) {
    const char* part = (const char*)from + shim_number(at, k) * extent;
    const int count = (int)shim_number(n, k);
    if (count == 0) continue;
    if (k != root) MPI_Send(part, count, type->super.mpi, k, 99, comm->comm);
    if (k == root && to != MPI_IN_PLACE) ompi_datatype_sndrcv(part, (size_t)count, type, to, m, into);
  }
  return MPI_SUCCESS;
}

ompi_request_t** ompi_coll_base_comm_get_reqs(mca_coll_base_comm_t* data, int n) {
  if (data->mcct_num_reqs < n) {
    data->mcct_reqs = (ompi_request_t**)realloc(data->mcct_reqs, (size_t)n * sizeof *data->mcct_reqs);
    for (int k = data->mcct_num_reqs; k < n; ++k) data->mcct_reqs[k] = MPI_REQUEST_NULL;
    data->mcct_num_reqs = n;
  }
  return data->mcct_reqs;
}

static ompi_communicator_t* communicator(MPI_Comm comm) {
  static ompi_communicator_t known;
  known.comm = comm;
  known.c_cube_dim = opal_cube_dim(ompi_comm_size(&known));
  known.c_coll = &collectives;
  return &known;
}

/* MPI_Allreduce and so on return here where there is nothing to do. */
#define RETURN_IF(nothing) \
  if (nothing) return MPI_SUCCESS

#if defined(IS_allreduce) || defined(IS_scan) || defined(IS_exscan) || defined(IS_reduce_scatter_block)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ompi_datatype_t its_type = {{type, {1}}};
  ompi_op_t its_op = {op};
  RETURN_IF(n == 0);
  return ALGORITHM(from, to, (size_t)n, &its_type, &its_op, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_reduce)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  ompi_datatype_t its_type = {{type, {1}}};
  ompi_op_t its_op = {op};
  RETURN_IF(n == 0);
  return ALGORITHM(from, to, (size_t)n, &its_type, &its_op, root, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_reduce_scatter)
int onceover_adapter(const void* from, void* to, const int* n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ompi_datatype_t its_type = {{type, {1}}};
  ompi_op_t its_op = {op};
  return ALGORITHM(from, to, shim_short(n), &its_type, &its_op, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_bcast)
int onceover_adapter(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  ompi_datatype_t its_type = {{type, {1}}};
  RETURN_IF(n == 0);
  return ALGORITHM(buffer, (size_t)n, &its_type, root, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_allgather) || defined(IS_alltoall)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, MPI_Comm comm) {
  ompi_datatype_t given = {{type, {1}}}, got = {{into, {1}}};
  RETURN_IF(m == 0);
  return ALGORITHM(from, (size_t)n, &given, to, (size_t)m, &got, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_gather) || defined(IS_scatter)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, int root,
                     MPI_Comm comm) {
  ompi_datatype_t given = {{type, {1}}}, got = {{into, {1}}};
  RETURN_IF(n == 0);
  return ALGORITHM(from, (size_t)n, &given, to, (size_t)m, &got, root, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_allgatherv)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, const int* m, const int* at,
                     MPI_Datatype into, MPI_Comm comm) {
  ompi_datatype_t given = {{type, {1}}}, got = {{into, {1}}};
  return ALGORITHM(from, (size_t)n, &given, to, shim_short(m), shim_short(at), &got, communicator(comm), &module ARGUMENTS);
}
#elif defined(IS_alltoallv)
int onceover_adapter(const void* from, const int* n, const int* at, MPI_Datatype type, void* to, const int* m,
                     const int* to_at, MPI_Datatype into, MPI_Comm comm) {
  ompi_datatype_t given = {{type, {1}}}, got = {{into, {1}}};
  return ALGORITHM(from, shim_short(n), shim_short(at), &given, to, shim_short(m), shim_short(to_at), &got,
                   communicator(comm), &module ARGUMENTS);
}
#endif
