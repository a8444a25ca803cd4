#include "ucc/api/ucc.h"

enum { UCC_EE_EXECUTOR_TASK_REDUCE = 1, UCC_EE_EXECUTOR_TASK_REDUCE_STRIDED = 2, UCC_EE_EXECUTOR_TASK_COPY = 8 };
enum { UCC_EEE_TASK_FLAG_REDUCE_WITH_ALPHA = 1, UCC_EEE_TASK_FLAG_REDUCE_SRCS_EXT = 2 };
typedef enum { UCC_OP_SUM, UCC_OP_PROD } ucc_reduction_op_t;
typedef struct {
  int ee_type;
} ucc_ee_executor_params_t;
typedef struct {
  int ee_type;
} ucc_ee_executor_t;
typedef struct {
  void* dst;
  union {
    void* srcs[9];
    void** srcs_ext;
  };
  size_t count;
  uint16_t n_srcs;
  ucc_reduction_op_t op;
} ucc_eee_task_reduce_t;
typedef struct {
  void *dst, *src1, *src2;
  size_t stride, count;
  uint16_t n_src2;
  ucc_reduction_op_t op;
} ucc_eee_task_reduce_strided_t;
typedef struct {
  const void* src;
  void* dst;
  size_t len;
} ucc_eee_task_copy_t;
typedef struct {
  uint16_t task_type, flags;
  union {
    ucc_eee_task_reduce_t reduce;
    ucc_eee_task_reduce_strided_t reduce_strided;
    ucc_eee_task_copy_t copy;
  };
} ucc_ee_executor_task_args_t;
typedef struct {
  ucc_ee_executor_t* eee;
  ucc_ee_executor_task_args_t args;
  ucc_status_t status;
} ucc_ee_executor_task_t;
ucc_status_t ucc_ee_executor_task_post(ucc_ee_executor_t* executor, const ucc_ee_executor_task_args_t* args,
                                       ucc_ee_executor_task_t** task);
ucc_status_t ucc_ee_executor_task_test(const ucc_ee_executor_task_t* task);
ucc_status_t ucc_ee_executor_task_finalize(ucc_ee_executor_task_t* task);
