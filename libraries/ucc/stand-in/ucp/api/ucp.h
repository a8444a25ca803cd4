/* Stands in for what UCC's tl/ucp takes of UCP: sends and receives with tags, over MPI's (../../../ucp.c). What else it
 * names is declared, so that its files compile, and ends the program if it is called. */
#ifndef ONCEOVER_UCP_H
#define ONCEOVER_UCP_H

#include "ucs.h"

typedef struct ucp_context* ucp_context_h;
typedef struct ucp_worker* ucp_worker_h;
typedef struct ucp_ep* ucp_ep_h;
typedef struct ucp_mem* ucp_mem_h;
typedef struct ucp_rkey* ucp_rkey_h;
typedef struct ucp_address ucp_address_t;
typedef struct ucp_config ucp_config_t;
typedef uint64_t ucp_tag_t;
typedef uint64_t ucp_datatype_t;
typedef struct ucp_tag_recv_info {
  ucp_tag_t sender_tag;
  size_t length;
} ucp_tag_recv_info_t;

typedef void (*ucp_send_nbx_callback_t)(void* request, ucs_status_t status, void* data);
typedef void (*ucp_tag_recv_nbx_callback_t)(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info,
                                            void* data);

enum {
  UCP_OP_ATTR_FIELD_REQUEST = UCS_BIT(0),
  UCP_OP_ATTR_FIELD_CALLBACK = UCS_BIT(1),
  UCP_OP_ATTR_FIELD_USER_DATA = UCS_BIT(2),
  UCP_OP_ATTR_FIELD_DATATYPE = UCS_BIT(3),
  UCP_OP_ATTR_FIELD_FLAGS = UCS_BIT(4),
  UCP_OP_ATTR_FIELD_REPLY_BUFFER = UCS_BIT(5),
  UCP_OP_ATTR_FIELD_MEMORY_TYPE = UCS_BIT(6),
  UCP_OP_ATTR_FIELD_RECV_INFO = UCS_BIT(7),
  UCP_OP_ATTR_FIELD_MEMH = UCS_BIT(8),
  UCP_OP_ATTR_FLAG_NO_IMM_CMPL = UCS_BIT(16),
  UCP_OP_ATTR_FLAG_FAST_CMPL = UCS_BIT(17),
  UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL = UCS_BIT(18),
  UCP_OP_ATTR_FLAG_MULTI_SEND = UCS_BIT(19)
};
typedef struct {
  uint32_t op_attr_mask;
  uint32_t flags;
  void* request;
  union {
    ucp_send_nbx_callback_t send;
    ucp_tag_recv_nbx_callback_t recv;
  } cb;
  ucp_datatype_t datatype;
  void* user_data;
  void* reply_buffer;
  ucs_memory_type_t memory_type;
  union {
    ucp_tag_recv_info_t* tag_info;
  } recv_info;
  ucp_mem_h memh;
} ucp_request_param_t;

/* A type of n bytes, one after the other. */
#define ucp_dt_make_contig(n) ((ucp_datatype_t)(n) << 3)

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h to, const void* buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* param);
ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void* buffer, size_t count, ucp_tag_t tag, ucp_tag_t mask,
                                  const ucp_request_param_t* param);
unsigned ucp_worker_progress(ucp_worker_h worker);
ucs_status_t ucp_request_check_status(void* request);
void ucp_request_free(void* request);
void ucp_request_cancel(ucp_worker_h worker, void* request);

/* Memory that others reach, and operations on it: not judged. */
typedef enum { UCP_ATOMIC_OP_ADD, UCP_ATOMIC_OP_SWAP, UCP_ATOMIC_OP_CSWAP } ucp_atomic_op_t;
enum {
  UCP_MEM_MAP_PARAM_FIELD_ADDRESS = UCS_BIT(0),
  UCP_MEM_MAP_PARAM_FIELD_LENGTH = UCS_BIT(1),
  UCP_MEM_MAP_PARAM_FIELD_FLAGS = UCS_BIT(2),
  UCP_MEM_MAP_PARAM_FIELD_PROT = UCS_BIT(3),
  UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE = UCS_BIT(4),
  UCP_MEM_MAP_PARAM_FIELD_EXPORTED_MEMH_BUFFER = UCS_BIT(5)
};
typedef struct {
  uint64_t field_mask;
  void* address;
  size_t length;
  unsigned flags, prot;
  ucs_memory_type_t memory_type;
  const void* exported_memh_buffer;
} ucp_mem_map_params_t;
ucs_status_t ucp_mem_map(ucp_context_h context, const ucp_mem_map_params_t* params, ucp_mem_h* memory);
ucs_status_t ucp_mem_unmap(ucp_context_h context, ucp_mem_h memory);
ucs_status_t ucp_rkey_pack(ucp_context_h context, ucp_mem_h memory, void** key, size_t* size);
void ucp_rkey_buffer_release(void* key);
ucs_status_t ucp_ep_rkey_unpack(ucp_ep_h to, const void* packed, ucp_rkey_h* key);
void ucp_rkey_destroy(ucp_rkey_h key);
ucs_status_ptr_t ucp_put_nbx(ucp_ep_h to, const void* from, size_t n, uint64_t at, ucp_rkey_h key,
                             const ucp_request_param_t* param);
ucs_status_ptr_t ucp_get_nbx(ucp_ep_h from, void* to, size_t n, uint64_t at, ucp_rkey_h key,
                             const ucp_request_param_t* param);
ucs_status_ptr_t ucp_atomic_op_nbx(ucp_ep_h to, ucp_atomic_op_t op, const void* with, size_t count, uint64_t at,
                                   ucp_rkey_h key, const ucp_request_param_t* param);
ucs_status_ptr_t ucp_ep_flush_nbx(ucp_ep_h to, const ucp_request_param_t* param);
ucs_status_ptr_t ucp_worker_flush_nbx(ucp_worker_h worker, const ucp_request_param_t* param);
ucs_status_t ucp_worker_fence(ucp_worker_h worker);

#endif
