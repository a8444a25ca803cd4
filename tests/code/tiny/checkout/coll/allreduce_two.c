#include "tiny.h"

/* Pairs exchange all they have, for p = 2^a. */
int tiny_allreduce_two(const void *from, void *to, int n, struct tiny *t) {
  const int r = tiny_rank(t), p = tiny_size(t);
  const size_t bytes = tiny_bytes(t) * (size_t)n;
  char *y = malloc(bytes + 1);
  if (from != MPI_IN_PLACE) memcpy(to, from, bytes);
  for (int distance = 1; distance < p; distance *= 2) {
    const int other = r ^ distance;
    if (r < other) tiny_send(t, to, n, other);
    tiny_recv(t, y, n, other);
    if (r > other) tiny_send(t, to, n, other);
    if (r > other) {
      tiny_add(t, y, to, n);
    } else {
      tiny_add(t, to, y, n);
      memcpy(to, y, bytes);
    }
  }
  free(y);
  return MPI_SUCCESS;
}
