/* What the adapter does with the stand-in for UCP beside UCP's own functions. */
#ifndef ONCEOVER_UCC_UCP_H
#define ONCEOVER_UCC_UCP_H

#include <mpi.h>
#include <stdbool.h>

#include "ucp/api/ucp.h"

/* Messages go over this communicator from now on. */
void stand_in_begin(MPI_Comm comm);

/* Who a rank is for ucp_tag_send_nbx. */
ucp_ep_h stand_in_endpoint(int rank);

/* How many sends and receives have begun and ended so far. */
unsigned long stand_in_events(void);

/* Waits until an open request can end; false if there is none. */
bool stand_in_wait(void);

/* Ends the program if a request is open: its buffer would be used after the collective. */
void stand_in_end(void);

/* Ends the program, with the reason. */
void stand_in_fail(const char* why) __attribute__((noreturn));

#endif
