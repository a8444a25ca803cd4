#include "ucc/api/ucc.h"

typedef struct {
  ucc_memory_type_t mt;
  int from_pool;
  void* addr;
} ucc_mc_buffer_header_t;
ucc_status_t ucc_mc_alloc(ucc_mc_buffer_header_t** header, size_t size, ucc_memory_type_t type);
ucc_status_t ucc_mc_free(ucc_mc_buffer_header_t* header);
ucc_status_t ucc_mc_memcpy(void* to, const void* from, size_t size, ucc_memory_type_t into, ucc_memory_type_t of);
ucc_status_t ucc_mc_memset(void* at, int value, size_t size, ucc_memory_type_t type);
