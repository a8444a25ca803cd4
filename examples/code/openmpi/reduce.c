/* Open MPI's algorithms for a reduce, as in allreduce.c: --collective reduce --root 1.
 *
 * Those with PIECE send it in pieces of that many bytes; at most two of them are on the way to a rank (0: any number).
 */
#include "collectives.h"

#define ADAPTER(name, ...)                                                                                       \
  int adapter_##name(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) { \
    ompi_datatype_t its_type = {type};                                                                           \
    ompi_op_t its_op = {op};                                                                                     \
    return ompi_coll_base_reduce_intra_##name(from, to, (size_t)n, &its_type, &its_op, root, communicator(comm), \
                                              &module __VA_OPT__(, ) __VA_ARGS__);                               \
  }

ADAPTER(basic_linear)
ADAPTER(binary, PIECE, 2)
ADAPTER(binomial, PIECE, 0)
ADAPTER(chain, PIECE, 2, 2)
ADAPTER(in_order_binary, PIECE, 2)
ADAPTER(knomial, PIECE, 0, RADIX)
ADAPTER(pipeline, PIECE, 2)
ADAPTER(redscat_gather)
