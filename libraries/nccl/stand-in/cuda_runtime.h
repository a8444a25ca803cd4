// What NCCL's headers need of CUDA.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#define __device__
#define __host__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __noinline__
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef int cudaError_t;
typedef struct CUgraph_st* cudaGraph_t;
struct int4 {
  int x, y, z, w;
};
struct dim3 {
  unsigned x, y, z;
};
struct ulong2 {
  unsigned long x, y;
};
