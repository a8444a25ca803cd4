/* Sends and receives whose callbacks write down that they were called. */
#include "algorithm.h"
#include "core.h"
#include "tl_ucp_tag.h"
#include "ucc/api/ucc.h"
#include "ucp.h"

#define CHECK(condition) \
  if (!(condition)) stand_in_fail("not so: " #condition)
#define TAG(message, sender) ((ucp_tag_t)(message) << UCC_TL_UCP_TAG_BITS_OFFSET | (ucp_tag_t)(sender))

typedef struct {
  int times; /* it was told that it has ended; or it had when it began */
  bool was_immediate;
  void* request;
  size_t length;
  ucp_tag_t tag;
} note;

static int told_last; /* the tag's message of the request that was told of last */

static void is_sent(void* request, ucs_status_t status, void* data) {
  note* it = data;
  CHECK(status == UCS_OK && request == it->request);
  ++it->times;
  told_last = (int)(it->tag >> UCC_TL_UCP_TAG_BITS_OFFSET);
  ucp_request_free(request);
}

static void is_received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* data) {
  note* it = data;
  CHECK(status == UCS_OK && request == it->request);
  CHECK(info->sender_tag == it->tag);
  ++it->times;
  it->length = info->length;
  told_last = (int)(it->tag >> UCC_TL_UCP_TAG_BITS_OFFSET);
  ucp_request_free(request);
}

static ucp_request_param_t parameters(note* it, size_t each) {
  ucp_request_param_t param;
  memset(&param, 0, sizeof param);
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_USER_DATA;
  param.datatype = ucp_dt_make_contig(each);
  param.user_data = it;
  return param;
}

static void started(note* it, void* request) {
  CHECK(it->times == 0);
  it->request = request;
  it->was_immediate = request == NULL;
  if (it->was_immediate) ++it->times;
}

static void start_send(note* it, const void* from, size_t bytes, int to, int message, int rank) {
  ucp_request_param_t param = parameters(it, bytes);
  memset(it, 0, sizeof *it);
  it->tag = TAG(message, rank);
  param.cb.send = is_sent;
  started(it, ucp_tag_send_nbx(stand_in_endpoint(to), from, 1, it->tag, &param));
}

static void start_receive(note* it, void* to, size_t bytes, int from, int message) {
  ucp_request_param_t param = parameters(it, bytes);
  memset(it, 0, sizeof *it);
  it->tag = TAG(message, from);
  param.cb.recv = is_received;
  started(it, ucp_tag_recv_nbx(NULL, to, 1, it->tag, UINT64_MAX, &param));
}

/* Until it is told of. */
static void finish(const note* it) {
  while (it->times == 0) {
    if (ucp_worker_progress(NULL) > 0) continue;
    CHECK(stand_in_wait());
  }
  CHECK(it->times == 1);
}

static void poll(int times) {
  while (times-- > 0) CHECK(ucp_worker_progress(NULL) <= 1 || !SETTING(late));
}
