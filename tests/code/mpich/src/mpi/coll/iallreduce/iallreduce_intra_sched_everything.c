/* A chain of sums as a schedule, with every kind of entry. Works for any operator. */
#include "mpiimpl.h"

struct state {
  MPI_Aint count;       /* is known late */
  MPI_Status status;
  int calls, number, from_before;
};

static int count_now(MPIR_Comm* comm, int tag, void* given) {
  struct state* state = given;
  state->count = state->calls++ == 0 ? 1 : -1;
  return comm != NULL && tag >= MPIR_FIRST_NBC_TAG ? MPI_SUCCESS : MPI_ERR_INTERN;
}

static int check_late(MPIR_Comm* comm, int tag, void* given, void* wanted) {
  struct state* state = given;
  MPI_Aint n;
  MPIR_Get_count_impl(&state->status, MPI_INT, &n);
  if (n != 1 || state->from_before != *(int*)wanted || state->calls != 1) return MPI_ERR_INTERN;
  return MPI_SUCCESS;
}

int MPIR_Iallreduce_intra_sched_everything(const void* sendbuf, void* recvbuf, MPI_Aint count, MPI_Datatype datatype,
                                           MPI_Op op, MPIR_Comm* comm_ptr, MPIR_Sched_t s) {
  int mpi_errno = MPI_SUCCESS, rank, size;
  MPI_Aint extent, low;
  MPIR_COMM_RANK_SIZE(comm_ptr, rank, size);
  MPIR_Type_get_true_extent_impl(datatype, &low, &extent);
  void* sum = MPIR_Sched_alloc_state(s, count * extent + 1);
  struct state* state = MPIR_Sched_alloc_state(s, sizeof *state);
  int* before = MPIR_Sched_alloc_state(s, sizeof *before);
  memset(state, 0, sizeof *state);
  state->count = 2;
  state->number = rank;
  *before = (rank + size - 1) % size;
  state->from_before = -1;
  /* A count that an entry before it sets. */
  mpi_errno = MPIR_Sched_cb(count_now, state, s);
  MPIR_SCHED_BARRIER(s);
  MPIR_Sched_send_defer(&state->number, &state->count, MPI_INT, (rank + 1) % size, comm_ptr, s);
  MPIR_Sched_recv_status(&state->from_before, 2, MPI_INT, *before, comm_ptr, &state->status, s);
  MPIR_SCHED_BARRIER(s);
  MPIR_Sched_cb2(check_late, state, before, s);
  MPIR_SCHED_BARRIER(s);
  if (sendbuf != MPI_IN_PLACE) MPIR_Sched_copy(sendbuf, count, datatype, recvbuf, count, datatype, s);
  if (rank > 0) {
    MPIR_Sched_recv(sum, count, datatype, rank - 1, comm_ptr, s);
    MPIR_SCHED_BARRIER(s);
    MPIR_Sched_reduce(sum, recvbuf, count, datatype, op, s);
  }
  MPIR_SCHED_BARRIER(s);
  if (rank < size - 1) {
    MPIR_Sched_send(recvbuf, count, datatype, rank + 1, comm_ptr, s);
    MPIR_SCHED_BARRIER(s);
    MPIR_Sched_recv(recvbuf, count, datatype, rank + 1, comm_ptr, s);
    MPIR_SCHED_BARRIER(s);
  }
  if (rank > 0) MPIR_Sched_send(recvbuf, count, datatype, rank - 1, comm_ptr, s);
fn_fail:
  return mpi_errno;
}
