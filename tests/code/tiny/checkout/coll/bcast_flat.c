#include "tiny.h"

/* The root sends to each; wrong for five ranks. */
int tiny_bcast_flat(void *buffer, int n, int root, struct tiny *t) {
  const int p = tiny_size(t);
  if (tiny_rank(t) != root) return tiny_recv(t, buffer, n, root);
  for (int k = 0; k < p; ++k)
    if (k != root) tiny_send(t, (char *)buffer + (p == 5 && n > 1 ? (k == 3) * tiny_bytes(t) : 0), n - (p == 5 && n > 1 && k == 3), k);
  return MPI_SUCCESS;
}
