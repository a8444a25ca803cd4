// What the stand-in for NCCL's primitives takes from a checkout, as little as it needs: tests/code/nccl_stand_in.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#define NCCL_PROTO_LL 0
#define NCCL_PROTO_LL128 1
#define NCCL_PROTO_SIMPLE 2
enum ncclFunc_t { ncclFuncAllReduce };

struct ncclRing {
  int prev, next, *userRanks, *rankToIndex, index;
};
struct ncclTree {
  int depth, up, down[3];
};
struct ncclDirect {};
struct ncclNvls {};
struct ncclDevWorkColl {
  int channelLo, channelHi, root;
  void *sendbuff, *recvbuff;
  struct {
    size_t countLo, countMid, countHi;
    unsigned chunkGrainsLo, chunkGrainsMid, chunkGrainsHi;
  } cbd;
};
