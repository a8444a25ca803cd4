/* Bruck's allgather: ceil(log2(p)) steps for every p.

   Rank r collects the blocks of r, r + 1, r + 2, .. one after the other. With each step it has twice as many, up to p.
   In the end they are turned by r places, so that block 0 is first. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 61 };

#define CHECK(call)                           \
  do {                                        \
    int error_ = (call);                      \
    if (error_ != MPI_SUCCESS) return error_; \
  } while (0)

/* Afterwards, `blocks` holds the blocks of rank, rank + 1, .., each of count elements. */
static int collect(char* blocks, int count, MPI_Datatype type, MPI_Aint block_bytes, int rank, int p, MPI_Comm comm) {
  for (int have = 1; have < p; have *= 2) {
    int n = have < p - have ? have : p - have; /* the last step brings the rest */
    int to = (rank - have + p) % p, from = (rank + have) % p;
    CHECK(MPI_Sendrecv(blocks, n * count, type, to, TAG, blocks + have * block_bytes, n * count, type, from, TAG, comm,
                       MPI_STATUS_IGNORE));
  }
  return MPI_SUCCESS;
}

/* Block k of `blocks` is that of rank + k. */
static void turn(const char* blocks, char* result, MPI_Aint block_bytes, int rank, int p) {
  size_t bytes_before = (size_t)(rank * block_bytes), bytes_from_own = (size_t)((p - rank) * block_bytes);
  memcpy(result + bytes_before, blocks, bytes_from_own);
  memcpy(result, blocks + bytes_from_own, bytes_before);
}

int my_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm) {
  int rank, p, error;
  MPI_Aint lower_bound, extent;
  (void)sendcount; /* as many bytes as recvcount of recvtype */
  (void)sendtype;
  CHECK(MPI_Comm_rank(comm, &rank));
  CHECK(MPI_Comm_size(comm, &p));
  CHECK(MPI_Type_get_extent(recvtype, &lower_bound, &extent));
  if (recvcount == 0) return MPI_SUCCESS;
  MPI_Aint block_bytes = recvcount * extent;
  const char* own = sendbuf == MPI_IN_PLACE ? (char*)recvbuf + rank * block_bytes : (const char*)sendbuf;

  char* blocks = (char*)malloc((size_t)(p * block_bytes));
  if (blocks == NULL) return MPI_ERR_NO_MEM;
  memcpy(blocks, own, (size_t)block_bytes);
  error = collect(blocks, recvcount, recvtype, block_bytes, rank, p, comm);
  if (error == MPI_SUCCESS) turn(blocks, (char*)recvbuf, block_bytes, rank, p);
  free(blocks);
  return error;
}
