/* What the stand-in must refuse. */
#include "components/ec/ucc_ec.h"
#include "requests.h"

static void add(uint16_t flags, ucc_reduction_op_t op) {
  static uint64_t numbers[2];
  ucc_ee_executor_task_args_t args;
  ucc_ee_executor_task_t* task;
  memset(&args, 0, sizeof args);
  args.task_type = UCC_EE_EXECUTOR_TASK_REDUCE;
  args.flags = flags;
  args.reduce.op = op;
  args.reduce.dst = args.reduce.srcs[0] = args.reduce.srcs[1] = numbers;
  args.reduce.n_srcs = 2;
  args.reduce.count = 1;
  ucc_ee_executor_task_post(NULL, &args, &task);
  while (ucc_ee_executor_task_test(task) == UCC_INPROGRESS) continue;
  ucc_ee_executor_task_finalize(task);
}

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
    case 5: add(0, UCC_OP_PROD); break;
    case 6: add(UCC_EEE_TASK_FLAG_REDUCE_WITH_ALPHA, UCC_OP_SUM); break;
  }
}
