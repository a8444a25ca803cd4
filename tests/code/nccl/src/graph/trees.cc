// Two trees: each node has two children, from rank 0 on, or from the last rank backwards.
#include "device.h"

static void tree(int p, int at, bool is_mirrored, int* up, int* first, int* second) {
  const auto rank = [&](int k) { return k < 0 || k >= p ? -1 : is_mirrored ? p - 1 - k : k; };
  if (is_mirrored) at = p - 1 - at;
  *up = at == 0 ? -1 : rank((at - 1) / 2);
  *first = rank(2 * at + 1);
  *second = rank(2 * at + 2);
}

ncclResult_t ncclGetDtree(int p, int rank, int* up, int* first, int* second, int*, int* up2, int* first2, int* second2,
                          int*) {
  tree(p, rank, false, up, first, second);
  tree(p, rank, true, up2, first2, second2);
  return 0;
}
