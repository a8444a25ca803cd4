/* Gives an algorithm of MPICH the signature of MPI's collective. */
#include "mpiimpl.h"

#include ALGORITHM_FILE

MPIR_Comm* shim_communicator(MPI_Comm comm);
#define COMMUNICATOR MPIR_Comm* in = shim_communicator(comm)

#ifdef IS_SCHED
#define RUN(...)                                                 \
  do {                                                           \
    MPIR_Sched_t shim_made = shim_new_sched(in);                 \
    error = ALGORITHM(__VA_ARGS__, in ARGUMENTS, shim_made);     \
    if (error == MPI_SUCCESS) error = shim_run_sched(shim_made); \
    shim_free_sched(shim_made);                                  \
  } while (0)
#else
#define RUN(...) error = ALGORITHM(__VA_ARGS__, in ARGUMENTS, 0)
#endif

/* MPICH's own functions return here where there is nothing to do (src/binding/c/coll_api.txt). */
#define RETURN_IF(nothing) \
  if (nothing) return MPI_SUCCESS

static bool are_zero(const int* numbers, int n) {
  for (int k = 0; k < n; ++k)
    if (numbers[k] != 0) return false;
  return true;
}

/* Counts as MPICH has them. */
static MPI_Aint* long_numbers(const int* numbers, int n) {
  if (numbers == NULL) return NULL;
  MPI_Aint* all = (MPI_Aint*)malloc((size_t)n * sizeof *all);
  for (int k = 0; k < n; ++k) all[k] = numbers[k];
  return all;
}
#define LONG(name) MPI_Aint* long_##name = long_numbers(name, in->local_size)

#if defined(IS_allreduce) || defined(IS_scan) || defined(IS_exscan) || defined(IS_reduce_scatter_block)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(n == 0);
  RUN(from, to, n, type, op);
  return error;
}
#elif defined(IS_reduce)
int onceover_adapter(const void* from, void* to, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(n == 0);
  RUN(from, to, n, type, op, root);
  return error;
}
#elif defined(IS_reduce_scatter)
int onceover_adapter(const void* from, void* to, const int* n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(are_zero(n, in->local_size));
  LONG(n);
  RUN(from, to, long_n, type, op);
  free(long_n);
  return error;
}
#elif defined(IS_bcast)
int onceover_adapter(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(n == 0);
  RUN(buffer, n, type, root);
  return error;
}
#elif defined(IS_allgather) || defined(IS_alltoall)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(n == 0);
  RUN(from, n, type, to, m, into);
  return error;
}
#elif defined(IS_gather) || defined(IS_scatter)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, int m, MPI_Datatype into, int root,
                     MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(n == 0);
  RUN(from, n, type, to, m, into, root);
  return error;
}
#elif defined(IS_allgatherv)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, const int* m, const int* at,
                     MPI_Datatype into, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  RETURN_IF(are_zero(m, in->local_size));
  LONG(m);
  LONG(at);
  RUN(from, n, type, to, long_m, long_at, into);
  free(long_m);
  free(long_at);
  return error;
}
#elif defined(IS_gatherv)
int onceover_adapter(const void* from, int n, MPI_Datatype type, void* to, const int* m, const int* at,
                     MPI_Datatype into, int root, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  LONG(m);
  LONG(at);
  RUN(from, n, type, to, long_m, long_at, into, root);
  free(long_m);
  free(long_at);
  return error;
}
#elif defined(IS_scatterv)
int onceover_adapter(const void* from, const int* n, const int* at, MPI_Datatype type, void* to, int m,
                     MPI_Datatype into, int root, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  LONG(n);
  LONG(at);
  RUN(from, long_n, long_at, type, to, m, into, root);
  free(long_n);
  free(long_at);
  return error;
}
#elif defined(IS_alltoallv)
int onceover_adapter(const void* from, const int* n, const int* at, MPI_Datatype type, void* to, const int* m,
                     const int* to_at, MPI_Datatype into, MPI_Comm comm) {
  int error;
  COMMUNICATOR;
  LONG(n);
  LONG(at);
  LONG(m);
  LONG(to_at);
  RUN(from, long_n, long_at, type, to, long_m, long_to_at, into);
  free(long_n);
  free(long_at);
  free(long_m);
  free(long_to_at);
  return error;
}
#endif

/* The collectives that some algorithms call are those that MPICH falls back to. */
#ifdef NEEDS_ALLGATHERV
int MPIR_Allgatherv(const void* from, MPI_Aint n, MPI_Datatype type, void* to, const MPI_Aint* m, const MPI_Aint* at,
                    MPI_Datatype into, MPIR_Comm* in, int attributes) {
  return MPIR_Allgatherv_intra_ring(from, n, type, to, m, at, into, in, attributes);
}
#endif
#ifdef NEEDS_ALLREDUCE
int MPIR_Allreduce(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op, MPIR_Comm* in,
                   int attributes) {
  return MPIR_Allreduce_intra_recursive_doubling(from, to, n, type, op, in, attributes);
}
#endif
#ifdef NEEDS_BCAST
int MPIR_Bcast(void* buffer, MPI_Aint n, MPI_Datatype type, int root, MPIR_Comm* in, int attributes) {
  return MPIR_Bcast_intra_binomial(buffer, n, type, root, in, attributes);
}
#endif
#ifdef NEEDS_REDUCE
int MPIR_Reduce(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op, int root, MPIR_Comm* in,
                int attributes) {
  return MPIR_Reduce_intra_binomial(from, to, n, type, op, root, in, attributes);
}
#endif
#ifdef NEEDS_IBCAST
int MPIR_Ibcast_intra_sched_auto(void* buffer, MPI_Aint n, MPI_Datatype type, int root, MPIR_Comm* in, MPIR_Sched_t s) {
  return MPIR_Ibcast_intra_sched_binomial(buffer, n, type, root, in, s);
}
#endif
#ifdef NEEDS_IREDUCE
int MPIR_Ireduce_intra_sched_auto(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op, int root,
                                  MPIR_Comm* in, MPIR_Sched_t s) {
  return MPIR_Ireduce_intra_sched_binomial(from, to, n, type, op, root, in, s);
}
#endif
#ifdef NEEDS_IALLREDUCE
int MPIR_Iallreduce_intra_sched_auto(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op,
                                     MPIR_Comm* in, MPIR_Sched_t s) {
  return MPIR_Iallreduce_intra_sched_recursive_doubling(from, to, n, type, op, in, s);
}
#endif
#ifdef NEEDS_ISCAN
int MPIR_Iscan_intra_sched_auto(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op, MPIR_Comm* in,
                                MPIR_Sched_t s) {
  return MPIR_Iscan_intra_sched_recursive_doubling(from, to, n, type, op, in, s);
}
#endif
#ifdef NEEDS_SCAN
int MPIR_Scan(const void* from, void* to, MPI_Aint n, MPI_Datatype type, MPI_Op op, MPIR_Comm* in, int attributes) {
  return MPIR_Scan_intra_recursive_doubling(from, to, n, type, op, in, attributes);
}
#endif
