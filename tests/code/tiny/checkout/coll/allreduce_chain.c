#include "tiny.h"

/* Down to rank 0 and back, piece by piece. */
int tiny_allreduce_chain(const void *from, void *to, int n, struct tiny *t, int piece) {
  const int r = tiny_rank(t), p = tiny_size(t);
  const size_t bytes = tiny_bytes(t);
  char *x = to, *y = malloc((size_t)n * bytes + 1);
  if (from != MPI_IN_PLACE) memcpy(to, from, (size_t)n * bytes);
  for (int k = 0; k < n; k += piece) {
    const int m = k + piece <= n ? piece : n - k;
    if (r < p - 1) {
      tiny_recv(t, y, m, r + 1);
      tiny_add(t, x + k * bytes, y, m);
      memcpy(x + k * bytes, y, m * bytes);
    }
    if (r > 0) tiny_send(t, x + k * bytes, m, r - 1);
    if (r > 0) tiny_recv(t, x + k * bytes, m, r - 1);
    if (r < p - 1) tiny_send(t, x + k * bytes, m, r + 1);
  }
  free(y);
  return MPI_SUCCESS;
}
