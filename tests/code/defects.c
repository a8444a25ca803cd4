/* Code that meets what SimGrid 3.32 lacks or gets wrong. The variable ONCEOVER_CASE names the function. Each is right;
 * with ONCEOVER_SLIP=1 it is wrong in a way that doesn't depend on that. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int is_wrong(void) {
  const char* slip = getenv("ONCEOVER_SLIP");
  return slip && atoi(slip) == 1;
}

#define ALLREDUCE(name) \
  static int name(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)

/* A message that is received by MPI_Mprobe; the wrong one writes behind its result first. */
ALLREDUCE(by_mprobe) {
  MPI_Message message;
  MPI_Aint low, extent;
  MPI_Request request;
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_get_extent(type, &low, &extent);
  if (is_wrong()) memset((char*)recv + count * extent, 0, extent);
  MPI_Isend(send, count, type, (rank + 1) % p, 1, comm, &request);
  MPI_Mprobe((rank + p - 1) % p, 1, comm, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(recv, count, type, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return MPI_Allreduce(send, recv, count, type, op, comm);
}

/* Neighbours of a ring; the wrong one is so for two elements alone, where it asks no neighbour. */
ALLREDUCE(by_neighbours) {
  MPI_Comm ring;
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  if (is_wrong() && count == 2) return MPI_SUCCESS;
  const int left = (rank + p - 1) % p, right = (rank + 1) % p;
  MPI_Dist_graph_create_adjacent(comm, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &p, 1, MPI_INT, ring);
  MPI_Comm_free(&ring);
  return MPI_Allreduce(send, recv, count, type, op, comm);
}

/* The wrong one leaves out the last element. */
ALLREDUCE(nonblocking) {
  MPI_Request request;
  MPI_Iallreduce(send, recv, count - (is_wrong() && count > 0), type, op, comm, &request);
  return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The wrong one sends a message that nobody receives. */
ALLREDUCE(by_reduce) {
  MPI_Request requests[2];
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (is_wrong()) MPI_Send(send, count, type, rank, 9, comm);
  MPI_Ireduce(send, recv, count, type, op, 0, comm, &requests[0]);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  return MPI_Bcast(recv, count, type, 0, comm);
}

/* A scan whose last rank has the sum. The wrong one overwrites the first element. */
ALLREDUCE(by_scan) {
  MPI_Aint low, extent;
  int p;
  MPI_Comm_size(comm, &p);
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Scan(send, recv, count, type, op, comm);
  MPI_Bcast(recv, count, type, p - 1, comm);
  if (is_wrong() && count > 0) memcpy(recv, send, extent);
  return MPI_SUCCESS;
}

/* A token that goes round three times by persistent requests. In the wrong one, rank 0 waits for a message that nobody
 * sends. */
ALLREDUCE(by_starts) {
  MPI_Request requests[2];
  int rank, p, is_there;
  char none;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  if (is_wrong() && rank == 0) MPI_Recv(&none, 1, MPI_CHAR, p - 1, 9, comm, MPI_STATUS_IGNORE);
  MPI_Send_init(&none, 0, MPI_CHAR, (rank + 1) % p, 1, comm, &requests[0]);
  MPI_Recv_init(&none, 0, MPI_CHAR, (rank + p - 1) % p, 1, comm, &requests[1]);
  for (int k = 0; k < 3; k++) {
    if (rank == 1) MPI_Iprobe(0, 5, comm, &is_there, MPI_STATUS_IGNORE); /* takes time, so that rank 0 is ahead */
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return MPI_Allreduce(send, recv, count, type, op, comm);
}

/* Ranks of a host in the other order. The wrong one takes that order for the world's. */
ALLREDUCE(by_key) {
  MPI_Comm host;
  int rank, p, other;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, is_wrong() ? rank : -rank, MPI_INFO_NULL, &host);
  MPI_Comm_rank(host, &other);
  MPI_Comm_free(&host);
  if (other != p - 1 - rank) return MPI_SUCCESS;
  return MPI_Allreduce(send, recv, count, type, op, comm);
}

int chosen(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static const struct {
    const char* name;
    int (*function)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  } cases[] = {{"by_mprobe", by_mprobe},
               {"by_neighbours", by_neighbours},
               {"nonblocking", nonblocking},
               {"by_reduce", by_reduce},
               {"by_scan", by_scan},
               {"by_starts", by_starts},
               {"by_key", by_key}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
    if (strcmp(cases[k].name, getenv("ONCEOVER_CASE")) == 0)
      return cases[k].function(send, recv, count, type, op, comm);
  return MPI_ERR_OTHER;
}
