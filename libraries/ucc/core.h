/* What the adapter and the stand-ins share. */
#ifndef ONCEOVER_UCC_CORE_H
#define ONCEOVER_UCC_CORE_H

#include <mpi.h>

/* Of the elements, and what adds them up, in this call. */
extern MPI_Datatype stand_in_type;
extern MPI_Op stand_in_op;

/* Tasks of the executor that aren't done. */
extern int stand_in_tasks;

/* Ranks are on two hosts. */
void stand_in_hosts(int rank, int ranks);

#endif
