/* What the adapters of this folder share: a communicator of Open MPI's for MPI's own, with the collectives that some of
 * Open MPI's algorithms call, and the pieces (bytes) and the radix of those that take them:
 *
 *   --flags '-DPIECE=16 -DRADIX=3'
 *
 * clang-format off: the order of these files is no matter of taste.
 */
#include "coll_base_allgather.c"
#include "coll_base_bcast.c"
#include "coll_base_gather.c"
#include "coll_base_reduce.c"
#include "coll_base_topo.c"
/* clang-format on */

#ifndef PIECE
#define PIECE 64
#endif
#ifndef RADIX
#define RADIX 4
#endif

static mca_coll_base_comm_t kept; /* as Open MPI keeps trees and requests from call to call */
static mca_coll_base_module_t module = {&kept};
static const struct shim_collectives collectives = {
    ompi_coll_base_allgather_intra_ring,      &module, /* */
    ompi_coll_base_bcast_intra_basic_linear,  &module, /* */
    ompi_coll_base_gather_intra_basic_linear, &module, /* */
    ompi_coll_base_reduce_intra_basic_linear, &module, /* */
};

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
