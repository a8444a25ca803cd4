/* What the stand-in must refuse. */
#include "requests.h"

void test_allreduce_wrong(const void* from, void* to, int n, int rank, int ranks) {
  static int in;
  static note it;
  ucp_request_param_t param = parameters(&it, sizeof in);
  (void)from, (void)to, (void)n;
  switch (SETTING(kind)) {
    case 0: start_receive(&it, &in, sizeof in, (rank + 1) % ranks, 1); break; /* it is open at the end */
    case 1: start_send(&it, &in, sizeof in, (rank + 1) % ranks, 1, rank + 1); break; /* another one's tag */
    case 2: ucp_tag_recv_nbx(NULL, &in, 1, TAG(1, rank), 1, &param); break; /* any of several tags */
    case 3: ucp_tag_send_nbx(stand_in_endpoint(rank), &in, 1, TAG(1, rank) | 1ul << 62, &param); break; /* another team's */
    case 4: ucp_put_nbx(stand_in_endpoint(rank), &in, 4, 0, NULL, &param); break;
    case 5: stand_in_wait(); break; /* it has no result */
  }
}
