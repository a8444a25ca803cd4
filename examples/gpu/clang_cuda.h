// The little of CUDA's headers that the examples need, for clang without a CUDA toolkit.
#pragma once

using uint32_t = unsigned int;
using uint64_t = unsigned long long;

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
};

#include <__clang_cuda_builtin_vars.h>

__device__ inline float __uint_as_float(unsigned bits) {
  float value;
  asm("mov.b32 %0, %1;" : "=f"(value) : "r"(bits));
  return value;
}

__device__ inline unsigned __float_as_uint(float value) {
  unsigned bits;
  asm("mov.b32 %0, %1;" : "=r"(bits) : "f"(value));
  return bits;
}

__device__ inline float __ldg(const float* from) {
  float value;
  asm("ld.global.nc.f32 %0, [%1];" : "=f"(value) : "l"(from));
  return value;
}
