/* As much of UCC as its stand-in asks for. */
#ifndef TEST_UCC_H
#define TEST_UCC_H

#include "config.h"

#define UCC_BIT(k) (1ul << (k))
#define UCC_MASK(k) (UCC_BIT(k) - 1)

typedef enum { UCC_OK = 0, UCC_INPROGRESS = 1, UCC_ERR_NOT_SUPPORTED = -1 } ucc_status_t;
typedef uint32_t ucc_rank_t;
typedef enum { UCC_MEMORY_TYPE_HOST } ucc_memory_type_t;
typedef enum { UCC_EP_MAP_FULL, UCC_EP_MAP_ARRAY } ucc_ep_map_type_t;
typedef struct {
  ucc_ep_map_type_t type;
  uint64_t ep_num;
  struct {
    void* map;
    size_t elem_size;
  } array;
} ucc_ep_map_t;
typedef int ucc_global_config_t;
typedef void* ucc_ee_h;
typedef int ucc_ev_t;
typedef int ucc_coll_task_t;
typedef int ucc_tl_ucp_team_t;

#endif
