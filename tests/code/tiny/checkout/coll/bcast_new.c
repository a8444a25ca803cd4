#include "tiny.h"

int tiny_bcast_new(void *buffer, int n, int root, struct tiny *t) {
  return tiny_unheard_of(t, buffer, n, root);
}
