#include "tiny.h"

#include ALGORITHM_FILE

#if defined(IS_allreduce)
int onceover_adapter(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  struct tiny t = {comm, type, op};
  return ALGORITHM(from, to, n, &t ARGUMENTS);
}
#elif defined(IS_bcast)
int onceover_adapter(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  struct tiny t = {comm, type, MPI_OP_NULL};
  return ALGORITHM(buffer, n, root, &t ARGUMENTS);
}
#endif
