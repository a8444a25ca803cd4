/* Files of the checkout that every algorithm needs. */
#include "components/tl/ucp/tl_ucp_copy.c"
#include "config.h"
#include "core/ucc_dt.c"
#include "core/ucc_progress_queue.c"
#include "core/ucc_progress_queue_mt.c"
#include "core/ucc_progress_queue_st.c"
#include "schedule/ucc_schedule.c"
#include "schedule/ucc_schedule_pipelined.c"
#include "utils/ucc_coll_utils.c"
#include "utils/ucc_mpool.c"
#include "utils/ucc_status.c"
#if __has_include("components/tl/ucp/tl_ucp_sendrecv.c")
#include "components/tl/ucp/tl_ucp_sendrecv.c"
#endif

/* The list of all algorithms is in the file of what they share: as static functions that nobody calls, the compiler
 * leaves out those that choose one, so that only what is judged needs to be there. */
#include "components/tl/ucp/tl_ucp_coll.h"
#define ucc_tl_ucp_coll_init static onceover_unused_init
#define ucc_tl_ucp_alg_id_to_init static onceover_unused_choice
#pragma weak ucc_tl_ucp_allgather_score_str_get
#pragma weak ucc_tl_ucp_alltoall_score_str_get
#include "components/tl/ucp/tl_ucp_coll.c"
