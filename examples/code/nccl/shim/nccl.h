// What NCCL's collectives.h needs of other headers, without CUDA and without a build of NCCL.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define __device__
#define __host__
#define __forceinline__ inline
#define NCCL_DEVICE_H_  // for device.h
#include <bitops.h>     // NCCL's own

enum ncclFunc_t : int;
enum ncclDevRedOp_t : int;
enum ncclDataType_t : int {
  ncclInt8,
  ncclUint8,
  ncclInt32,
  ncclUint32,
  ncclInt64,
  ncclUint64,
  ncclFloat16,
  ncclFloat32,
  ncclFloat64,
  ncclBfloat16,
  ncclFloat8e4m3,
  ncclFloat8e5m2
};
