#include "tiny.h"

/* Along a chain of ranks, from the root on. */
int tiny_helper(void *buffer, int n, int root, struct tiny *t) {
  const int r = tiny_rank(t), p = tiny_size(t);
  if (r != root) tiny_recv(t, buffer, n, (r + p - 1) % p);
  if ((r + 1) % p != root) tiny_send(t, buffer, n, (r + 1) % p);
  return MPI_SUCCESS;
}
