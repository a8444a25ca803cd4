// The steps of PAT, as far as the stand-in reads them.
#pragma once

#include <cstddef>

#define NCCL_PAT_NWORKERS 512

struct ncclPatStep {
  int recvDim, sendDim, recvOffset, sendOffset, stepOffset, postRecv, postSend, nelem, last, flags;
  size_t inpIx, outIx;
};

struct ncclPatShmem {
  ncclPatStep step[2];
  long long localAccSize;
};
