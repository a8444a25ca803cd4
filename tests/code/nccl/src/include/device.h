// What the stand-in for NCCL's primitives takes from a checkout, as little as it needs: tests/code/nccl_stand_in.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

typedef int ncclResult_t;
#define NCCL_ALGO_TREE 0
#define NCCL_ALGO_RING 1
#define NCCL_ALGO_PAT 6
#define NCCL_PROTO_LL 0
#define NCCL_PROTO_LL128 1
#define NCCL_PROTO_SIMPLE 2
enum ncclFunc_t { ncclFuncAllGather, ncclFuncReduceScatter, ncclFuncAllReduce };

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
