// RunRecorder: makes a RunTrace while a machine runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/memory/region.h"
#include "gpu/run_trace.h"

namespace onceover::gpu {

/// Keeps accesses up to a limit. Memory: linear in what it keeps.
class RunRecorder {
 public:
  explicit RunRecorder(WatchedPlace watched) : watched_(std::move(watched)) {}

  /// Is an access traced? Those of the watched place are, and strong writes to memory that other blocks see.
  bool wants(const Region& region, std::uint64_t offset, std::uint32_t bytes, bool is_strong_write) const;

  /// An access that is wanted, before it has its effect.
  void access(AccessSite site, const Region& region, std::uint64_t offset, std::uint32_t bytes, bool writes,
              bool is_strong);

  /// Memory holds what the latest strong write wrote.
  void written(const Region& region, std::uint64_t offset);

  /// A read returned these bits. It is traced if a strong write of another thread that wrote them is.
  template <class Site>
  void loaded(const Region& region, std::uint64_t offset, std::uint64_t bits, const Site& site) {
    const auto writes = writes_.find({&region, offset / 4 * 4});
    if (writes != writes_.end()) read_flag(writes->second, region, offset, static_cast<std::uint32_t>(bits), site());
  }

  void wait(TracedWait wait) { trace_.waits.push_back(std::move(wait)); }

  RunTrace take() { return std::move(trace_); }

 private:
  /// A write of a cell, and the first four bytes that it wrote.
  struct Written {
    std::size_t access;
    std::uint32_t bits;
  };

  void read_flag(const std::vector<Written>& writes, const Region& region, std::uint64_t offset, std::uint32_t bits,
                 AccessSite site);
  bool is_full();

  WatchedPlace watched_;
  std::optional<std::size_t> latest_write_ = {};
  RunTrace trace_ = {};
  std::map<std::pair<const Region*, std::uint64_t>, std::vector<Written>> writes_ = {};  // strong ones, by cell
};

}  // namespace onceover::gpu
