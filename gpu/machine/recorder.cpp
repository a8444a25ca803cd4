// A read belongs to the latest write of its value. A thread that spins reads the same write again and again; the first
// time counts.

#include "gpu/machine/recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace onceover::gpu {
namespace {

constexpr std::size_t most_accesses = 200'000;

std::string memory_of(const Region& region) {
  return region.name() + " of rank " + std::to_string(region.rank());
}

}  // namespace

bool RunRecorder::wants(const Region& region, std::uint64_t offset, std::uint32_t bytes, bool is_strong_write) const {
  if (region.base() == 0) return false;
  if (is_strong_write) return true;
  const bool is_there = offset < watched_.offset + 4 && watched_.offset < offset + bytes;
  return is_there && memory_of(region) == watched_.memory;
}

bool RunRecorder::is_full() {
  trace_.is_whole = trace_.is_whole && trace_.accesses.size() < most_accesses;
  return !trace_.is_whole;
}

void RunRecorder::access(AccessSite site, const Region& region, std::uint64_t offset, std::uint32_t bytes, bool writes,
                         bool is_strong) {
  if (is_full()) return;
  const bool is_watched = wants(region, offset, bytes, false);
  trace_.accesses.push_back({std::move(site), memory_of(region), offset, writes, is_strong, is_watched});
  if (writes && is_strong) latest_write_ = trace_.accesses.size() - 1;
}

void RunRecorder::written(const Region& region, std::uint64_t offset) {
  if (is_full() || !latest_write_) return;
  std::uint32_t bits = 0;
  const std::uint64_t cell = offset / 4 * 4;
  std::memcpy(&bits, region.bytes() + cell, std::min<std::uint64_t>(4, region.size() - cell));
  writes_[{&region, cell}].push_back({*latest_write_, bits});
}

void RunRecorder::read_flag(const std::vector<Written>& writes, const Region& region, std::uint64_t offset,
                            std::uint32_t bits, AccessSite site) {
  const auto found =
      std::find_if(writes.rbegin(), writes.rend(), [&](const Written& each) { return each.bits == bits; });
  if (found == writes.rend() || is_full()) return;
  const AccessSite& writer = trace_.accesses[found->access].site;
  const bool is_own = writer.rank == site.rank && writer.block == site.block && writer.is_stream == site.is_stream;
  if (is_own) return;
  TracedAccess read{.site = std::move(site), .memory = memory_of(region), .offset = offset, .is_strong = true};
  read.from = found->access;
  const bool is_known =
      !trace_.accesses.empty() && trace_.accesses.back().from == read.from && trace_.accesses.back().site == read.site;
  if (!is_known) trace_.accesses.push_back(std::move(read));
}

}  // namespace onceover::gpu
