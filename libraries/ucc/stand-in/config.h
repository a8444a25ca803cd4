/* What UCC's configure script would find. */
#ifndef ONCEOVER_UCC_CONFIG_H
#define ONCEOVER_UCC_CONFIG_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include "ucs.h"
#define PACKAGE_VERSION "0"
#define SIZEOF_FLOAT 4
#define SIZEOF_DOUBLE 8
#define UCC_ENABLE_ASSERT 1
#define UCS_HAVE_MPOOL_PARAMS 1
#define UCS_HAVE_CONFIG_GLOBAL_LIST_ENTRY_FLAGS 1
#endif
