// Reads the operations of a block of threads of an MSCCL++ plan.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/plan.h"
#include "formats/plan_fields.h"

namespace onceover::formats {

/// What a block's operations may name, by position: channels and remote buffers of its GPU, and multicast groups.
struct BlockTables {
  struct Group {
    Buffer buffer;
    std::vector<Rank> ranks;
  };
  struct RemoteBuffer {
    Rank rank;
    Buffer buffer;
  };
  std::vector<std::int32_t> memory_channels = {};  // numbers in the GPU
  std::vector<std::int32_t> port_channels = {};
  std::vector<Group> groups = {};
  std::vector<RemoteBuffer> memory_buffers = {};
  std::vector<RemoteBuffer> port_buffers = {};
};

/// What all operations share.
struct PlanScope {
  ExecutionPlan& plan;  // whose GPUs have their chunks already; gets notes
  Rank rank;
  const BlockTables& tables;
  std::uint64_t threads;  // of a block
};

/// Reads the list "ops" of a block. Lines and columns are left for the caller, who finds the byte in `offsets`.
PlanResult<PlanBlock> read_plan_operations(const PlacedJson& block, const PlanScope& scope,
                                           std::vector<std::size_t>& offsets);

/// A buffer by its letter in the file.
PlanResult<Buffer> plan_buffer(const PlacedJson& object, std::string_view key);

}  // namespace onceover::formats
