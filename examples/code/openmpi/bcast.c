/* Open MPI's algorithms for a broadcast, as in allreduce.c: --collective bcast --root 1. */
#include "collectives.h"

#define ADAPTER(name, ...)                                                                           \
  int adapter_##name(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {              \
    ompi_datatype_t its_type = {type};                                                               \
    return ompi_coll_base_bcast_intra_##name(buffer, (size_t)n, &its_type, root, communicator(comm), \
                                             &module __VA_OPT__(, ) __VA_ARGS__);                    \
  }

ADAPTER(basic_linear)
ADAPTER(binomial, PIECE)
ADAPTER(bintree, PIECE)
ADAPTER(chain, PIECE, 2)
ADAPTER(knomial, PIECE, RADIX)
ADAPTER(pipeline, PIECE)
ADAPTER(scatter_allgather, PIECE)
ADAPTER(scatter_allgather_ring, PIECE)
ADAPTER(split_bintree, PIECE)
