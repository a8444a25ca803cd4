// Reads the operations of a block of threads of an MSCCL++ plan, and the fields that they and the rest of a plan are
// made of.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/json_source.h"
#include "base/result.h"
#include "formats/plan.h"

namespace onceover::formats {

/// What is wrong, and the byte where.
struct PlanFault {
  std::size_t offset;
  std::string message;
};

template <class Value>
using PlanResult = tl::expected<Value, PlanFault>;

inline tl::unexpected<PlanFault> plan_fault(const PlacedJson& at, std::string message) {
  return tl::unexpected(PlanFault{at.offset(), std::move(message)});
}

/// The value of a key that must be there; the error names the object as `what`.
PlanResult<const PlacedJson*> plan_field(const PlacedJson& object, std::string_view key, std::string_view what);

/// A whole number from `least` to `most`, called `what` in errors.
PlanResult<std::uint64_t> plan_number(const PlacedJson& value, std::string_view what, std::uint64_t least,
                                      std::uint64_t most);

/// The same in 31 bits, of a key that must be there.
PlanResult<std::int32_t> plan_count(const PlacedJson& object, std::string_view key, std::int32_t least,
                                    std::int32_t most);

PlanResult<std::string> plan_text(const PlacedJson& object, std::string_view key, std::string_view what);
PlanResult<bool> plan_truth(const PlacedJson& object, std::string_view key, bool otherwise);

/// The elements of a list of at most `most`; with `is_optional`, none if the key is missing.
PlanResult<std::span<const PlacedJson>> plan_list(const PlacedJson& object, std::string_view key, std::size_t most,
                                                  bool is_optional = false);

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
