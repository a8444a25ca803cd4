/* A chain of sums by every way to send, with checks of all else that the stand-in does. A step that goes wrong is
 * returned as an error, or leaves a wrong result. Works for any operator, and needs two ranks or more.
 */
#include "mpiimpl.h"

#define CHECK(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) return fprintf(stderr, "line %d: %s\n", __LINE__, #condition), MPI_ERR_INTERN; \
  } while (0)
#define DO(call)                                                    \
  do {                                                              \
    mpi_errno = (call);                                             \
    MPIR_ERR_CHKANDJUMP(mpi_errno, mpi_errno, mpi_errno, "**fail"); \
  } while (0)

static int jumps(int mpi_errno) {
  MPIR_ERR_CHECK(mpi_errno);
  return 0;
fn_fail:
  return 1;
}

/* Errors jump, memory is freed, arithmetic is right. */
static int check_macros(void) {
  int mpi_errno = MPI_SUCCESS, reached = 0;
  MPIR_CHKLMEM_DECL();
  char* memory;
  MPIR_CHKLMEM_MALLOC(memory, 8);
  memset(memory, 1, 8);
  CHECK(jumps(MPI_ERR_OTHER) && !jumps(MPI_SUCCESS));
  reached = MPL_MAX(1, 2) + MPL_MIN(30, 10);
  MPIR_ERR_CHKANDJUMP(reached != 12, mpi_errno, MPI_ERR_OTHER, "**fail");
  MPIR_ERR_SETANDJUMP(mpi_errno, MPI_ERR_COUNT, "**fail");
  reached = 0;
fn_fail:
  MPIR_CHKLMEM_FREEALL();
  CHECK(reached == 12 && mpi_errno == MPI_ERR_COUNT);
  return MPI_SUCCESS;
}

static int check_communicator(MPIR_Comm* comm_ptr) {
  int rank, size, r, p, tag, next;
  MPIR_COMM_RANK_SIZE(comm_ptr, rank, size);
  MPI_Comm_rank(comm_ptr->comm, &r);
  MPI_Comm_size(comm_ptr->comm, &p);
  CHECK(rank == r && size == p && comm_ptr->rank == r && comm_ptr->local_size == p && comm_ptr->remote_size == p);
  MPIR_Sched_next_tag(comm_ptr, &tag);
  MPIR_Sched_next_tag(comm_ptr, &next);
  CHECK(tag >= MPIR_FIRST_NBC_TAG && next != tag);
  return MPI_SUCCESS;
}

/* All ranks of a host know each other by their tables, and hosts by their first ranks. */
static int check_hosts(MPIR_Comm* comm_ptr) {
  MPIR_Comm *node = comm_ptr->node_comm, *roots = comm_ptr->node_roots_comm;
  const int p = comm_ptr->local_size;
  int on_host = 0, before = 0, hosts = 0;
  for (int r = 0; r < p; ++r) {
    const int host = comm_ptr->internode_table[r];
    CHECK(host >= 0 && host < comm_ptr->num_external);
    if (host + 1 > hosts) hosts = host + 1;
    if (host != comm_ptr->external_rank) {
      CHECK(MPIR_Get_intranode_rank(comm_ptr, r) == -1);
      continue;
    }
    CHECK(MPIR_Get_intranode_rank(comm_ptr, r) == on_host);
    if (r < comm_ptr->rank) ++before;
    ++on_host;
  }
  CHECK(hosts == comm_ptr->num_external && on_host == comm_ptr->num_local && before == comm_ptr->local_rank);
  CHECK(MPIR_Get_internode_rank(comm_ptr, comm_ptr->rank) == comm_ptr->external_rank);
  CHECK(MPIR_Comm_is_parent_comm(comm_ptr) == (hosts > 1 ? hosts < p : p > 1));
  CHECK((node != NULL) == (comm_ptr->num_local > 1));
  CHECK((roots != NULL) == (comm_ptr->local_rank == 0));
  if (node != NULL) CHECK(node->rank == comm_ptr->local_rank && node->local_size == on_host);
  if (roots != NULL) CHECK(roots->rank == comm_ptr->external_rank && roots->local_size == hosts);
  return MPI_SUCCESS;
}

/* Datatypes: sizes, extents, and copies from one to another. */
static int check_types(void) {
  const MPI_Aint lengths[2] = {1, 2}, begins[2] = {0, 2}, apart[2] = {0, 8};
  MPI_Datatype indexed, blocks, both, parts[2] = {MPI_INT, MPI_DOUBLE}, four;
  MPI_Aint size, extent, low, bytes;
  int is_contig;
  int from[4] = {1, 2, 3, 4}, packed[3] = {0}, to[4] = {9, 9, 9, 9}, plain[3] = {0};
  MPIR_Datatype_get_size_macro(MPI_DOUBLE, size);
  CHECK(size == 8);
  CHECK(MPIR_Type_indexed_large_impl(2, lengths, begins, MPI_INT, &indexed) == MPI_SUCCESS);
  CHECK(MPIR_Type_commit_impl(&indexed) == MPI_SUCCESS);
  MPIR_Datatype_get_size_macro(indexed, size);
  MPIR_Datatype_get_extent_macro(indexed, extent);
  CHECK(size == 12 && extent == 16);
  MPIR_Datatype_is_contig(indexed, &is_contig);
  CHECK(!is_contig);
  MPIR_Datatype_is_contig(MPI_INT, &is_contig);
  CHECK(is_contig);
  CHECK(MPIR_Typerep_pack(from, 1, indexed, 0, packed, 12, &bytes, MPIR_TYPEREP_FLAG_NONE) == MPI_SUCCESS);
  CHECK(bytes == 12 && packed[0] == 1 && packed[1] == 3 && packed[2] == 4);
  CHECK(MPIR_Typerep_unpack(packed, 12, to, 1, indexed, 0, &bytes, MPIR_TYPEREP_FLAG_NONE) == MPI_SUCCESS);
  CHECK(bytes == 12 && to[0] == 1 && to[1] == 9 && to[2] == 3 && to[3] == 4);
  CHECK(MPIR_Localcopy(from, 1, indexed, plain, 3, MPI_INT) == MPI_SUCCESS);
  CHECK(plain[0] == 1 && plain[1] == 3 && plain[2] == 4);
  to[0] = to[2] = to[3] = 0;
  CHECK(MPIR_Localcopy(plain, 3, MPI_INT, to, 1, indexed) == MPI_SUCCESS && to[0] == 1 && to[2] == 3 && to[3] == 4);
  CHECK(MPIR_Localcopy(from, 2, MPI_INT, plain, 3, MPI_INT) == MPI_SUCCESS);
  CHECK(plain[0] == 1 && plain[1] == 2 && plain[2] == 4);
  CHECK(MPIR_Localcopy(from, 4, MPI_INT, plain, 3, MPI_INT) != MPI_SUCCESS && plain[2] == 4);
  MPIR_Type_free_impl(&indexed);
  CHECK(MPIR_Type_create_indexed_block_large_impl(2, 1, begins, MPI_INT, &blocks) == MPI_SUCCESS);
  MPIR_Datatype_get_size_macro(blocks, size);
  MPIR_Datatype_get_extent_macro(blocks, extent);
  CHECK(size == 8 && extent == 12);
  MPIR_Type_free_impl(&blocks);
  CHECK(MPIR_Type_create_struct_large_impl(2, lengths, apart, parts, &both) == MPI_SUCCESS);
  MPIR_Datatype_get_size_macro(both, size);
  MPIR_Type_get_true_extent_impl(both, &low, &extent);
  CHECK(size == 20 && low == 0 && extent == 24);
  MPIR_Type_free_impl(&both);
  CHECK(MPIR_Type_contiguous_x_impl(4, MPI_INT, &four) == MPI_SUCCESS);
  MPIR_Datatype_get_size_macro(four, size);
  CHECK(size == 16);
  MPIR_Type_free_impl(&four);
  CHECK(MPIR_Pack_size(3, MPI_INT, &bytes) == MPI_SUCCESS && bytes == 12);
  return MPI_SUCCESS;
}

/* Numbers go to both neighbours in each way. */
static int check_messages(MPIR_Comm* comm_ptr) {
  int mpi_errno = MPI_SUCCESS;
  const int r = comm_ptr->rank, p = comm_ptr->local_size, next = (r + 1) % p, before = (r + p - 1) % p;
  int given[2] = {10 * r + 1, 10 * r + 2}, got[3] = {-1, -1, -1};
  MPI_Status status, all[2];
  MPI_Aint n;
  MPIR_Request *pair[2], *one;
  DO(MPIC_Sendrecv(given, 2, MPI_INT, next, 3, got, 3, MPI_INT, before, 3, comm_ptr, &status, 0));
  CHECK(got[0] == 10 * before + 1 && got[1] == 10 * before + 2 && got[2] == -1 && status.MPI_SOURCE == before);
  MPIR_Get_count_impl(&status, MPI_INT, &n);
  CHECK(n == 2);
  DO(MPIC_Sendrecv_replace(given, 2, MPI_INT, next, 4, before, 4, comm_ptr, MPI_STATUS_IGNORE, 0));
  CHECK(given[0] == 10 * before + 1);
  /* Tags tell messages apart: what is sent second is received first. */
  DO(MPIC_Isend(&got[0], 1, MPI_INT, next, 5, comm_ptr, &pair[0], 0));
  DO(MPIC_Isend(&got[1], 1, MPI_INT, next, 6, comm_ptr, &pair[1], 0));
  DO(MPIC_Recv(&given[1], 1, MPI_INT, before, 6, comm_ptr, MPI_STATUS_IGNORE));
  DO(MPIC_Recv(&given[0], 1, MPI_INT, before, 5, comm_ptr, MPI_STATUS_IGNORE));
  DO(MPIC_Waitall(2, pair, MPI_STATUSES_IGNORE));
  const int far = (before + p - 1) % p;
  CHECK(given[0] == 10 * far + 1 && given[1] == 10 * far + 2);
  DO(MPIC_Irecv(&got[0], 1, MPI_INT, before, 7, comm_ptr, &pair[0]));
  DO(MPIC_Irecv(&got[1], 2, MPI_INT, before, 8, comm_ptr, &pair[1]));
  DO(MPIC_Send(given, 1, MPI_INT, next, 7, comm_ptr, 0));
  DO(MPIC_Send(given, 2, MPI_INT, next, 8, comm_ptr, 0));
  DO(MPIC_Waitall(2, pair, all));
  MPIR_Get_count_impl(&all[0], MPI_INT, &n);
  CHECK(n == 1);
  MPIR_Get_count_impl(&all[1], MPI_INT, &n);
  CHECK(n == 2 && all[1].MPI_SOURCE == before);
  /* A request is complete when its message is there, and not before. */
  got[0] = -1;
  DO(MPIC_Irecv(&got[0], 1, MPI_INT, before, 9, comm_ptr, &one));
  CHECK(!MPIR_Request_is_complete(one));
  DO(MPIC_Isend(&given[0], 1, MPI_INT, next, 9, comm_ptr, &pair[0], 0));
  while (!MPIR_Request_is_complete(one)) MPID_Progress_test(NULL);
  CHECK(got[0] != -1);
  MPIR_Request_free(one);
  DO(MPIC_Wait(pair[0]));
  CHECK(MPIR_Request_is_complete(pair[0]));
  MPIR_Request_free(pair[0]);
fn_fail:
  return mpi_errno;
}

int MPIR_Allreduce_intra_everything(const void* sendbuf, void* recvbuf, MPI_Aint count, MPI_Datatype datatype,
                                    MPI_Op op, MPIR_Comm* comm_ptr, int coll_attr) {
  int mpi_errno = MPI_SUCCESS, commutes, rank, size;
  MPI_Aint extent, low;
  void* sum = NULL;
  MPIR_CHKLMEM_DECL();
  MPIR_COMM_RANK_SIZE(comm_ptr, rank, size);
  MPIR_Type_get_true_extent_impl(datatype, &low, &extent);
  MPIR_Assert(HANDLE_IS_BUILTIN(op) && !HANDLE_IS_BUILTIN(datatype));
  MPI_Op_commutative(op, &commutes);
  MPIR_Assert(!commutes == !MPIR_Op_is_commutative(op));
  DO(check_macros());
  DO(check_communicator(comm_ptr));
  DO(check_hosts(comm_ptr));
  DO(check_types());
  DO(check_messages(comm_ptr));
  MPIR_CHKLMEM_MALLOC(sum, count * extent + 1);
  if (sendbuf != MPI_IN_PLACE) DO(MPIR_Localcopy(sendbuf, count, datatype, recvbuf, count, datatype));
  /* Up the chain, in the order of ranks. */
  if (rank > 0) {
    DO(MPIC_Recv(sum, count, datatype, rank - 1, MPIR_ALLREDUCE_TAG, comm_ptr, MPI_STATUS_IGNORE));
    DO(MPIR_Reduce_local(sum, recvbuf, count, datatype, op));
  }
  if (rank < size - 1) DO(MPIC_Send(recvbuf, count, datatype, rank + 1, MPIR_ALLREDUCE_TAG, comm_ptr, coll_attr));
  /* And down again. */
  if (rank < size - 1) DO(MPIC_Recv(recvbuf, count, datatype, rank + 1, MPIR_BCAST_TAG, comm_ptr, MPI_STATUS_IGNORE));
  if (rank > 0) DO(MPIC_Send(recvbuf, count, datatype, rank - 1, MPIR_BCAST_TAG, comm_ptr, coll_attr));
fn_fail:
  MPIR_CHKLMEM_FREEALL();
  return mpi_errno;
}
