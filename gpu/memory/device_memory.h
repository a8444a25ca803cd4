// The memory of all ranks, found by address.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/launch/launch.h"
#include "gpu/memory/region.h"

namespace onceover::gpu {

/// Where generic addresses lead to: `window | offset`.
inline constexpr std::uint64_t shared_window = std::uint64_t{0xA0} << 56;
inline constexpr std::uint64_t local_window = std::uint64_t{0xA1} << 56;
inline constexpr std::uint64_t param_window = std::uint64_t{0xA2} << 56;
inline constexpr std::uint64_t function_window = std::uint64_t{0xA3} << 56;
inline constexpr std::uint64_t window_mask = std::uint64_t{0xFF} << 56;

/// Buffers, variables of the module, and multicast addresses. Each buffer is followed by as much memory as it has,
/// where there is nothing. Addresses: (rank + 1) << 40 and up; multicasts: (2^15 + index) << 40 and up.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Launch& launch);

  Region& buffer(std::size_t index) { return *buffers_[index]; }
  /// A rank's variables of the module, global and constant ones.
  Region& variables(Rank rank) { return *variables_[static_cast<std::size_t>(rank)]; }
  /// Of a variable in that region; meaningless for a shared one.
  std::uint64_t offset_of_variable(std::size_t variable) const { return variable_offsets_[variable]; }

  /// Where the driver lets a rank's grids count at their barriers; zero at first.
  const Region& workspace(Rank rank) const { return *workspaces_[static_cast<std::size_t>(rank)]; }

  std::uint64_t address(RelocationTarget target, std::size_t index, Rank rank) const;

  /// The region that the address is in, or behind; null if there is none.
  Region* at(std::uint64_t address) const {
    const std::uint64_t rank = (address >> 40) - 1;
    if (rank >= pages_.size()) return nullptr;
    const std::uint64_t page = (address & offset_mask) >> page_bits;
    return page < pages_[rank].size() ? pages_[rank][page] : nullptr;
  }

  /// The buffers of a multicast address, and the offset in them; null if it isn't one.
  const Multicast* multicast_at(std::uint64_t address, std::uint64_t& offset) const;

 private:
  static constexpr int page_bits = 12;
  static constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 40) - 1;

  Region* place(std::string name, Rank rank, std::uint64_t bytes, bool is_tracked, bool is_constant);
  void lay_out_variables();
  void set_initial_values(Rank rank);

  const Launch& launch_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::vector<Region*> buffers_;
  std::vector<Region*> variables_;
  std::vector<Region*> workspaces_;
  std::vector<std::uint64_t> variable_offsets_;
  std::uint64_t variable_bytes_ = 0;
  std::vector<std::vector<Region*>> pages_;  // by rank
};

}  // namespace onceover::gpu
