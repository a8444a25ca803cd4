/* Open MPI's algorithms for an allgather, as in allreduce.c: --collective allgather. */
#include "collectives.h"

#define ADAPTER(name, ...)                                                                                \
  int adapter_##name(const void* from, int n, MPI_Datatype type, void* to, int wanted, MPI_Datatype into, \
                     MPI_Comm comm) {                                                                     \
    ompi_datatype_t given = {type}, got = {into};                                                         \
    return ompi_coll_base_allgather_intra_##name(from, (size_t)n, &given, to, (size_t)wanted, &got,       \
                                                 communicator(comm), &module __VA_OPT__(, ) __VA_ARGS__); \
  }

ADAPTER(basic_linear)
ADAPTER(k_bruck, RADIX)
ADAPTER(neighborexchange)
ADAPTER(recursivedoubling)
ADAPTER(ring)
ADAPTER(sparbit)
