/* Open MPI's algorithms for an allreduce, from a checkout of Open MPI:
 *
 *   B=CHECKOUT/ompi/mca/coll/base
 *   verify code examples/code/openmpi/allreduce.c --function adapter_ring \
 *     --include examples/code/openmpi/shim --include $B
 *
 * An algorithm that you add to coll_base_allreduce.c gets a line at the end.
 */
#include "coll_base_allreduce.c"
#include "collectives.h"

/* The adapter of an algorithm, and what the algorithm takes besides. */
#define ADAPTER(name, ...)                                                                                    \
  int adapter_##name(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {        \
    ompi_datatype_t its_type = {type};                                                                        \
    ompi_op_t its_op = {op};                                                                                  \
    return ompi_coll_base_allreduce_intra_##name(from, to, (size_t)n, &its_type, &its_op, communicator(comm), \
                                                 &module __VA_OPT__(, ) __VA_ARGS__);                         \
  }

ADAPTER(allgather_reduce)
ADAPTER(basic_linear)
ADAPTER(nonoverlapping)
ADAPTER(recursivedoubling)
ADAPTER(redscat_allgather)
ADAPTER(ring)
ADAPTER(ring_segmented, PIECE)
