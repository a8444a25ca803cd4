/* A pool of buffers: here, memory that is allocated one by one. Only data with gaps needs it. */
#include <mpiimpl.h>

typedef void* MPIDU_genq_private_pool_t;
#define MPIDU_genq_private_pool_force_alloc_cell(pool, cell) ((*(cell) = malloc((size_t)SETTING(chunk))), MPI_SUCCESS)
#define MPIDU_genq_private_pool_free_cell(pool, cell) free(cell)
