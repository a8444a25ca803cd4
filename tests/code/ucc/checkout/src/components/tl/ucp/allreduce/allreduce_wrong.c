/* What the stand-in must refuse. */
#include "requests.h"

void test_allreduce_wrong(const void* from, void* to, int n, int rank, int ranks) {
  static int in;
  static note it;
  ucp_request_param_t param = parameters(&it, 0);
  (void)from, (void)to, (void)n;
  switch (SETTING(kind)) {
    case 0: start_receive(&it, &in, sizeof in, (rank + 1) % ranks, 1); break; /* it is open at the end */
    case 1: start_send(&it, NULL, 0, (rank + 1) % ranks, 1, rank + 1); break; /* another one's tag */
    case 2:                                                                   /* any of several tags */
      start_send(&it, NULL, 0, rank, 1, rank);
      param.op_attr_mask = 0;
      ucp_tag_recv_nbx(NULL, NULL, 0, TAG(1, rank), ~1ul, &param);
      break;
    case 3:
      ucp_tag_send_nbx(stand_in_endpoint(rank), NULL, 0, TAG(1, rank) | 1ul << 62, &param);
      break; /* another team's */
    case 4: ucp_put_nbx(stand_in_endpoint(rank), &in, 4, 0, NULL, &param); break;
  }
}
