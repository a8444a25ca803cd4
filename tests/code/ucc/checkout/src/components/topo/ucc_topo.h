#include "ucc/api/ucc.h"

typedef enum { UCC_SBGP_FULL, UCC_SBGP_FULL_HOST_ORDERED } ucc_sbgp_type_t;
typedef enum { UCC_SBGP_NOT_INIT, UCC_SBGP_ENABLED } ucc_sbgp_status_t;
typedef int ucc_topo_t;
typedef struct {
  ucc_sbgp_type_t type;
  ucc_sbgp_status_t status;
  ucc_rank_t group_size, group_rank;
  ucc_rank_t* rank_map;
  ucc_ep_map_t map;
} ucc_sbgp_t;
ucc_sbgp_t* ucc_topo_get_sbgp(ucc_topo_t* topo, ucc_sbgp_type_t type);
