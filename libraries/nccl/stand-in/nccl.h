// NCCL's own, before its build fills in the version.
#pragma once
#include <nccl.h.in>
