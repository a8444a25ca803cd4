/* Finds out which known defects the simulator that runs has. Three ranks try, before any call is made.
 *
 * The operator keeps its left operand; so what is added up over ranks 0, 1, .. is rank 0's.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#include "ledger.h"

enum { most_ranks = 3, first = 4711 };

static void keep_left(void* left, void* right, int* length, MPI_Datatype* type) {
  (void)type;
  for (int k = 0; k < *length; ++k) ((uint64_t*)right)[k] = ((uint64_t*)left)[k];
}

static void try_defect(int defect, int is_wrong, MPI_Comm comm) {
  int is_wrong_somewhere = 0;
  PMPI_Allreduce(&is_wrong, &is_wrong_somewhere, 1, MPI_INT, MPI_MAX, comm);
  if (is_wrong_somewhere) onceover_set_defect(defect);
}

static void wait_for(MPI_Request* request) {
  PMPI_Wait(request, MPI_STATUS_IGNORE);
}

static int loses_sums(int rank, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const uint64_t own = (uint64_t)(first + rank), owns[most_ranks] = {own, own, own};
  uint64_t all = 0, of_root = 0, up_to = 0, before = 0, part = 0;
  MPI_Request request;
  int is_right = 1;
  PMPI_Iallreduce(&own, &all, 1, type, op, comm, &request);
  wait_for(&request);
  is_right = is_right && all == first;
  PMPI_Ireduce(&own, &of_root, 1, type, op, 0, comm, &request);
  wait_for(&request);
  is_right = is_right && (rank > 0 || of_root == first);
  PMPI_Iscan(&own, &up_to, 1, type, op, comm, &request);
  wait_for(&request);
  is_right = is_right && up_to == first;
  PMPI_Iexscan(&own, &before, 1, type, op, comm, &request);
  wait_for(&request);
  is_right = is_right && (rank == 0 || before == first);
  PMPI_Ireduce_scatter_block(owns, &part, 1, type, op, comm, &request);
  wait_for(&request);
  return !is_right || part != first;
}

static int loses_scans(int rank, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const uint64_t own = (uint64_t)(first + rank);
  uint64_t up_to = 0, before = 0;
  PMPI_Scan(&own, &up_to, 1, type, op, comm);
  PMPI_Exscan(&own, &before, 1, type, op, comm);
  return up_to != first || (rank > 0 && before != first);
}

void onceover_probe(void) {
  int rank, size, members[most_ranks] = {0, 1, 2};
  MPI_Group world, few;
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank >= most_ranks || size < 2) return;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_incl(world, size < most_ranks ? size : most_ranks, members, &few);
  PMPI_Comm_create_group(MPI_COMM_WORLD, few, 0, &comm);
  PMPI_Type_contiguous(sizeof(uint64_t), MPI_BYTE, &type);
  PMPI_Type_commit(&type);
  PMPI_Op_create(keep_left, 0, &op);
  try_defect(onceover_lost_sums, loses_sums(rank, type, op, comm), comm);
  try_defect(onceover_lost_scans, loses_scans(rank, type, op, comm), comm);
  PMPI_Op_free(&op);
  PMPI_Type_free(&type);
  PMPI_Comm_free(&comm);
  PMPI_Group_free(&few);
  PMPI_Group_free(&world);
}

/* A run of its own, of two ranks, which hangs where the simulator has the defect. Else it says so. */
void onceover_probe_starts(void) {
  int rank;
  MPI_Request request;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) PMPI_Send_init(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
  for (int k = 0; k < 3; ++k) {
    if (rank == 0) PMPI_Start(&request);
    if (rank == 0) PMPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) PMPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 1) printf("onceover: no start is lost\n");
  fflush(stdout);
}
