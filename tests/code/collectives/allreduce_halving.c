/* Allreduce by recursive halving and doubling among 2^k ranks; others give to a partner first and get the result last.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 14 };

int my_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int rank, p, bytes, power = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  MPI_Type_size(type, &bytes);
  char* result = recvbuf;
  if (sendbuf != MPI_IN_PLACE) memcpy(result, sendbuf, (size_t)count * bytes);
  char* arrived = malloc((size_t)count * bytes + 1);
  while (power * 2 <= p) power *= 2;
  if (rank >= power) {
    MPI_Send(result, count, type, rank - power, TAG, comm);
    MPI_Recv(result, count, type, rank - power, TAG + 1, comm, MPI_STATUS_IGNORE);
    free(arrived);
    return MPI_SUCCESS;
  }
  if (rank + power < p) {
    MPI_Recv(arrived, count, type, rank + power, TAG, comm, MPI_STATUS_IGNORE);
    MPI_Reduce_local(arrived, result, count, type, op);
  }
  int low = 0, high = count, lows[32], highs[32], depth = 0;
  for (int distance = power / 2; distance > 0; distance /= 2) {
    int peer = rank ^ distance, middle = low + (high - low) / 2, is_lower = (rank & distance) == 0;
    lows[depth] = low;
    highs[depth++] = high;
    int give = is_lower ? middle : low, gives = is_lower ? high - middle : middle - low;
    if (is_lower)
      high = middle;
    else
      low = middle;
    MPI_Sendrecv(result + (size_t)give * bytes, gives, type, peer, TAG, arrived, high - low, type, peer, TAG, comm,
                 MPI_STATUS_IGNORE);
    MPI_Reduce_local(arrived, result + (size_t)low * bytes, high - low, type, op);
  }
  for (int distance = 1; distance < power; distance *= 2) {
    int peer = rank ^ distance, outer = lows[--depth], end = highs[depth];
    int take = low == outer ? high : outer, takes = low == outer ? end - high : low - outer;
    MPI_Sendrecv(result + (size_t)low * bytes, high - low, type, peer, TAG, result + (size_t)take * bytes, takes, type,
                 peer, TAG, comm, MPI_STATUS_IGNORE);
    low = outer;
    high = end;
  }
  if (rank + power < p) MPI_Send(result, count, type, rank + power, TAG + 1, comm);
  free(arrived);
  return MPI_SUCCESS;
}
