/* Schedules, MPICH's form of nonblocking collectives: entries that are carried out later, with barriers between. */
#ifndef ONCEOVER_SCHED_H
#define ONCEOVER_SCHED_H

typedef struct MPIR_Sched* MPIR_Sched_t;
typedef int MPIR_Sched_cb_t(MPIR_Comm* in, int tag, void* state);
typedef int MPIR_Sched_cb2_t(MPIR_Comm* in, int tag, void* state, void* state2);

MPIR_Sched_t shim_new_sched(MPIR_Comm* in);
int shim_run_sched(MPIR_Sched_t sched);
void shim_free_sched(MPIR_Sched_t sched);

/* Memory that lives as long as the schedule. */
void* MPIR_Sched_alloc_state(MPIR_Sched_t sched, MPI_Aint bytes);
int MPIR_Sched_barrier(MPIR_Sched_t sched);
#define MPIR_SCHED_BARRIER(sched)          \
  do {                                     \
    mpi_errno = MPIR_Sched_barrier(sched); \
    MPIR_ERR_CHECK(mpi_errno);             \
  } while (0)
int MPIR_Sched_send(const void* at, MPI_Aint n, MPI_Datatype type, int to, MPIR_Comm* in, MPIR_Sched_t sched);
int MPIR_Sched_send_defer(const void* at, const MPI_Aint* n, MPI_Datatype type, int to, MPIR_Comm* in,
                          MPIR_Sched_t sched);
int MPIR_Sched_recv(void* at, MPI_Aint n, MPI_Datatype type, int from, MPIR_Comm* in, MPIR_Sched_t sched);
int MPIR_Sched_recv_status(void* at, MPI_Aint n, MPI_Datatype type, int from, MPIR_Comm* in, MPI_Status* status,
                           MPIR_Sched_t sched);
int MPIR_Sched_reduce(const void* from, void* into, MPI_Aint n, MPI_Datatype type, MPI_Op op, MPIR_Sched_t sched);
int MPIR_Sched_copy(const void* from, MPI_Aint n, MPI_Datatype type, void* to, MPI_Aint m, MPI_Datatype into,
                    MPIR_Sched_t sched);
int MPIR_Sched_cb(MPIR_Sched_cb_t* call, void* state, MPIR_Sched_t sched);
int MPIR_Sched_cb2(MPIR_Sched_cb2_t* call, void* state, void* state2, MPIR_Sched_t sched);
int MPIR_Sched_cb_free_buf(MPIR_Comm* in, int tag, void* state);

/* The schedules that others are made of; adapter.c says which algorithm each is. */
int MPIR_Ibcast_intra_sched_auto(void*, MPI_Aint, MPI_Datatype, int, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Ibcast_intra_sched_binomial(void*, MPI_Aint, MPI_Datatype, int, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Ireduce_intra_sched_auto(SHIM_REDUCES, int, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Ireduce_intra_sched_binomial(SHIM_REDUCES, int, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Iallreduce_intra_sched_auto(SHIM_REDUCES, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Iallreduce_intra_sched_recursive_doubling(SHIM_REDUCES, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Iscan_intra_sched_auto(SHIM_REDUCES, MPIR_Comm*, MPIR_Sched_t);
int MPIR_Iscan_intra_sched_recursive_doubling(SHIM_REDUCES, MPIR_Comm*, MPIR_Sched_t);

#endif
