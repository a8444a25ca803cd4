/* Right collectives that take counts, with slips that the variable ONCEOVER_SLIP names by number: SLIP(n, right, wrong)
 * is `wrong` in the n-th. None: the code is right. Each function has slips of its own, from 1 on; each exchanges, drops
 * or moves an argument by one, in place or not. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int slip(void) {
  const char* number = getenv("ONCEOVER_SLIP");
  return number ? atoi(number) : 0;
}

#define SLIP(n, right, wrong) (slipped == (n) ? (wrong) : (right))

static MPI_Aint extent_of(MPI_Datatype type) {
  MPI_Aint low, extent;
  MPI_Type_get_extent(type, &low, &extent);
  return extent;
}

static int sum(const int* counts, int end) {
  int total = 0;
  for (int k = 0; k < end; k++) total += counts[k];
  return total;
}

/* Behind the last part. */
static int length(const int* counts, const int* begins, int p) {
  int end = 0;
  for (int k = 0; k < p; k++)
    if (counts[k] > 0 && begins[k] + counts[k] > end) end = begins[k] + counts[k];
  return end;
}

static int less(int count) {
  return count > 0 ? count - 1 : 0;
}
static int smaller(int a, int b) {
  return a < b ? a : b;
}

int my_alltoallv(const void* send, const int* sends, const int* from, MPI_Datatype send_type, void* recv,
                 const int* gets, const int* into, MPI_Datatype recv_type, MPI_Comm comm) {
  const int slipped = slip();
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const MPI_Aint size = extent_of(recv_type);
  char* copy = NULL;
  if (send == MPI_IN_PLACE) {
    const int end = SLIP(1, length(gets, into, p), sum(gets, p));
    copy = malloc((size_t)end * size + 1);
    memcpy(copy, recv, SLIP(2, end, less(end)) * size);
    send = SLIP(3, copy, (char*)recv);
    sends = gets;
    from = into;
    send_type = recv_type;
  }
  for (int k = SLIP(4, 0, 1); k < SLIP(5, p, p - 1); k++) {
    const int dst = SLIP(6, rank + k, rank + k + 1) % p, src = SLIP(7, rank - k + p, rank - k + p + 1) % p;
    int begin = from[dst], count = sends[dst], at = into[src], room = gets[src];
    switch (slipped) {
      case 8: begin = into[dst]; break;
      case 9: begin = from[src]; break;
      case 10: begin = from[rank]; break;
      case 11: begin = from[k]; break;
      case 12: begin = from[dst] + 1; break;
      case 13: begin = 0; break;
      case 14: begin = sum(sends, dst); break;
      case 15: begin = from[dst] > 0 ? from[dst] - 1 : 0; break;
      case 16: count = gets[dst]; break;
      case 17: count = sends[src]; break;
      case 18: count = less(sends[dst]); break;
      case 19: count = sends[dst] + 1; break;
      case 20: count = sends[0]; break;
      case 21: count = smaller(sends[dst], gets[dst]); break;
      case 22: at = from[src]; break;
      case 23: at = into[dst]; break;
      case 24: at = into[k]; break;
      case 25: at = into[src] + 1; break;
      case 26: at = sum(gets, src); break;
      case 27: at = 0; break;
      case 28: room = sends[src]; break;
      case 29: room = gets[dst]; break;
      case 30: room = less(gets[src]); break;
      case 31: at = into[rank]; break;
    }
    MPI_Sendrecv((const char*)send + begin * size, count, send_type, dst, 1, (char*)recv + at * size, room, recv_type,
                 src, 1, comm, MPI_STATUS_IGNORE);
  }
  free(copy);
  return MPI_SUCCESS;
}

int my_allgatherv(const void* send, int gives, MPI_Datatype send_type, void* recv, const int* gets, const int* into,
                  MPI_Datatype recv_type, MPI_Comm comm) {
  const int slipped = slip();
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const MPI_Aint size = extent_of(recv_type);
  if (send != MPI_IN_PLACE)
    MPI_Sendrecv(send, gives, send_type, rank, 1, (char*)recv + SLIP(1, into[rank], sum(gets, rank)) * size,
                 gets[SLIP(2, rank, 0)], recv_type, rank, 1, comm, MPI_STATUS_IGNORE);
  if (slipped == 3 && send == MPI_IN_PLACE) memmove((char*)recv + into[rank] * size, recv, gets[rank] * size);
  /* A ring: in each step, what came last goes on. */
  const int right = (rank + 1) % p, left = (rank - 1 + p) % p;
  for (int k = SLIP(4, 0, 1); k < SLIP(5, p - 1, p - 2); k++) {
    const int out = (rank - k + p) % p, in = (left - k + p) % p;
    int begin = into[out], count = gets[out], at = into[in], room = gets[in];
    switch (slipped) {
      case 6: begin = into[in]; break;
      case 7: begin = into[rank]; break;
      case 8: begin = into[out] + 1; break;
      case 9: begin = into[out] > 0 ? into[out] - 1 : 0; break;
      case 10: begin = sum(gets, out); break;
      case 11: begin = 0; break;
      case 12: count = gets[in]; break;
      case 13: count = gets[rank]; break;
      case 14: count = gives; break;
      case 15: count = less(gets[out]); break;
      case 16: count = gets[out] + 1; break;
      case 17: count = gets[0]; break;
      case 18: at = into[out]; break;
      case 19: at = into[left]; break;
      case 20: at = into[in] + 1; break;
      case 21: at = sum(gets, in); break;
      case 22: at = 0; break;
      case 23: at = in * gets[in]; break;
      case 24: room = gets[out]; break;
      case 25: room = gives; break;
      case 26: room = less(gets[in]); break;
      case 27: begin = out * gets[out]; break;
    }
    MPI_Sendrecv((char*)recv + begin * size, count, recv_type, right, 2, (char*)recv + at * size, room, recv_type, left,
                 2, comm, MPI_STATUS_IGNORE);
  }
  if (slipped == 28 && length(gets, into, p) > 0) memcpy((char*)recv, (char*)recv + into[0] * size, size);
  return MPI_SUCCESS;
}

int my_gatherv(const void* send, int gives, MPI_Datatype send_type, void* recv, const int* gets, const int* into,
               MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const int slipped = slip();
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  root = SLIP(1, root, 0);
  if (rank != root) {
    const MPI_Aint size = extent_of(send_type);
    const int count = slipped == 2 ? less(gives) : slipped == 3 ? gives + 1 : slipped == 4 ? gets[rank] : gives;
    return MPI_Send((const char*)send + SLIP(5, 0, gives > 1 ? 1 : 0) * size, count, send_type,
                    SLIP(6, root, (root + 1) % p), 1, comm);
  }
  const MPI_Aint size = extent_of(recv_type);
  for (int src = SLIP(7, 0, 1); src < SLIP(8, p, p - 1); src++) {
    int at = into[src], room = gets[src];
    switch (slipped) {
      case 9: at = into[rank]; break;
      case 10: at = into[src] + 1; break;
      case 11: at = into[src] > 0 ? into[src] - 1 : 0; break;
      case 12: at = sum(gets, src); break;
      case 13: at = 0; break;
      case 14: at = src * gets[src]; break;
      case 15: at = into[p - 1 - src]; break;
      case 16:
        at = gets[src];
        room = into[src];
        break;
      case 17: room = gets[rank]; break;
      case 18: room = gives; break;
      case 19: room = less(gets[src]); break;
      case 20: room = gets[0]; break;
      case 21: room = gets[p - 1 - src]; break;
      case 22: at = into[(src + 1) % p]; break;
    }
    if (src == rank) {
      if (send == SLIP(23, MPI_IN_PLACE, NULL)) continue;
      MPI_Sendrecv(send, SLIP(24, gives, less(gives)), send_type, rank, 1, (char*)recv + at * size, room, recv_type,
                   rank, 1, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv((char*)recv + at * size, room, recv_type, SLIP(25, src, MPI_ANY_SOURCE), 1, comm, MPI_STATUS_IGNORE);
    }
  }
  if (slipped == 26) memset((char*)recv + length(gets, into, p) * size, 0, size);
  return MPI_SUCCESS;
}

int my_scatterv(const void* send, const int* sends, const int* from, MPI_Datatype send_type, void* recv, int gets,
                MPI_Datatype recv_type, int root, MPI_Comm comm) {
  const int slipped = slip();
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  root = SLIP(1, root, 0);
  if (rank != root) {
    const MPI_Aint size = extent_of(recv_type);
    const int count = slipped == 2 ? less(gets) : slipped == 3 ? sends[rank] : gets;
    return MPI_Recv((char*)recv + SLIP(4, 0, gets > 0 ? 1 : 0) * size, count, recv_type, SLIP(5, root, (root + 1) % p),
                    1, comm, MPI_STATUS_IGNORE);
  }
  const MPI_Aint size = extent_of(send_type);
  for (int dst = SLIP(6, 0, 1); dst < SLIP(7, p, p - 1); dst++) {
    int begin = from[dst], count = sends[dst];
    switch (slipped) {
      case 8: begin = from[rank]; break;
      case 9: begin = from[dst] + 1; break;
      case 10: begin = from[dst] > 0 ? from[dst] - 1 : 0; break;
      case 11: begin = sum(sends, dst); break;
      case 12: begin = 0; break;
      case 13: begin = dst * sends[dst]; break;
      case 14: begin = from[p - 1 - dst]; break;
      case 15:
        begin = sends[dst];
        count = from[dst];
        break;
      case 16: begin = from[(dst + 1) % p]; break;
      case 17: count = sends[rank]; break;
      case 18: count = gets; break;
      case 19: count = less(sends[dst]); break;
      case 20: count = sends[dst] + 1; break;
      case 21: count = sends[0]; break;
      case 22: count = sends[p - 1 - dst]; break;
    }
    if (dst == rank) {
      if (recv == SLIP(23, MPI_IN_PLACE, NULL)) continue;
      MPI_Sendrecv((const char*)send + begin * size, count, send_type, rank, 1, recv, SLIP(24, gets, less(gets)),
                   recv_type, rank, 1, comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send((const char*)send + begin * size, count, send_type, SLIP(25, dst, (dst + 1) % p), 1, comm);
    }
  }
  if (slipped == 26) memset((char*)send + from[0] * size, 0, size);
  return MPI_SUCCESS;
}

int my_reduce_scatter(const void* send, void* recv, const int* gets, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int slipped = slip();
  int rank, p;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const MPI_Aint size = extent_of(type);
  const int total = sum(gets, p), own = SLIP(1, gets[rank], total / p);
  const char* input = send == MPI_IN_PLACE ? recv : send;
  char *copy = malloc((size_t)total * size + 1), *came = malloc((size_t)total * size + 1);
  char* result = malloc((size_t)total * size + 1);
  memcpy(copy, input, (size_t)SLIP(2, total, less(total)) * size);
  for (int k = 0; k < p; k++) {
    const int dst = (rank + k) % p, src = (rank - k + p) % p;
    int begin = sum(gets, dst), count = gets[dst], room = own;
    switch (slipped) {
      case 3: begin = sum(gets, src); break;
      case 4: begin = sum(gets, rank); break;
      case 5: begin = sum(gets, dst) + 1; break;
      case 6: begin = sum(gets, dst) > 0 ? sum(gets, dst) - 1 : 0; break;
      case 7: begin = sum(gets, dst + 1); break;
      case 8: begin = dst * gets[dst]; break;
      case 9: begin = dst * (total / p); break;
      case 10: begin = dst * (total / p) + smaller(dst, total % p); break;
      case 11: begin = 0; break;
      case 12: count = gets[rank]; break;
      case 13: count = gets[src]; break;
      case 14: count = less(gets[dst]); break;
      case 15: count = total / p; break;
      case 16: count = total / p + (dst < total % p); break;
      case 17: count = gets[0]; break;
      case 18: room = gets[dst]; break;
      case 19: room = gets[src]; break;
      case 20: room = less(own); break;
    }
    if (begin + count > total) count = total > begin ? total - begin : 0;
    MPI_Sendrecv(copy + begin * size, count, type, dst, 1, came, room, type, src, 1, comm, MPI_STATUS_IGNORE);
    if (k == SLIP(21, 0, 1)) memcpy(result, came, own * size);
    if (k > SLIP(22, 0, 1)) MPI_Reduce_local(came, result, SLIP(23, own, less(own)), type, op);
    if (slipped == 24 && k == 1) MPI_Reduce_local(came, result, own, type, op);
  }
  memcpy(recv, result, (size_t)SLIP(25, own, less(own)) * size);
  if (slipped == 26 && total > own) memcpy((char*)recv + own * size, copy, size);
  free(copy);
  free(came);
  free(result);
  return MPI_SUCCESS;
}
