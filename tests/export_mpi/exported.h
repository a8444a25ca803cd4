/* The functions that the driver checks. */
#include <mpi.h>

struct exported {
  const char* name;
  int (*run)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int keeps_order;   /* takes operators that don't commute */
  int has_scratch;   /* has more elements in memory than in the vector */
  int is_interposed; /* is MPI_Allreduce itself */
};

extern const struct exported exported[];
extern const int exported_count;
