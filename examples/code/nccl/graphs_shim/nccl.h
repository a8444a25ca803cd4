// What NCCL's trees.cc needs of NCCL's own header, which its build makes.
#pragma once

enum ncclResult_t { ncclSuccess = 0, ncclInternalError = 3 };
