// What the example kernels share: whom a rank knows, how it signals, and how bugs are seeded.
#pragma once

#ifdef __CUDACC__
#include <stdint.h>
#endif
#if defined(__clang__)
#include "clang_cuda.h"
#endif

/// -DBUG=n seeds the bug n of a file; bugs.toml says what it is, and what must be found.
#ifndef BUG
#define BUG 0
#endif
__host__ __device__ constexpr bool bug(int n) {
  return BUG == n;
}

constexpr int most_ranks = 8;

/// Where each rank's buffers are, as this GPU sees them.
struct Peers {
  float* data[most_ranks];      // inputs, or outputs where the kernel says so
  float* scratch[most_ranks];   // staging
  uint32_t* flags[most_ranks];  // zero before the first call
};

/// Four elements, moved by one access.
struct alignas(16) Four {
  float x, y, z, w;
};

__device__ inline void add(Four& sum, const Four& v) {
  sum.x += v.x;
  sum.y += v.y;
  sum.z += v.z;
  sum.w += v.w;
}

/// This thread among all of the grid, and how many there are.
__device__ inline int first_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ inline int stride() {
  return gridDim.x * blockDim.x;
}

__device__ inline int smaller(int a, int b) {
  return a < b ? a : b;
}

/// All that this thread did, and what it knows of others, is seen by who acquires the flag.
__device__ inline void store_release(uint32_t* flag, uint32_t value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ inline uint32_t load_acquire(const uint32_t* flag) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

/// The value arrives, and nothing else.
__device__ inline void store_relaxed(uint32_t* flag, uint32_t value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ inline uint32_t load_relaxed(const uint32_t* flag) {
  uint32_t value;
  asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

__device__ inline void fence_system() {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}
