// RunTrace: what a picture of a run needs: flags that were written and read, accesses of one place, and who waits in
// the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/types.h"

namespace onceover::gpu {

struct AccessSite {
  Rank rank = 0;
  std::uint32_t call = 0;
  bool is_stream = false;   // the rank's stream, which writes inputs and reads outputs
  std::uint32_t block = 0;  // block, warp, thread: not of a stream
  std::uint32_t warp = 0;
  std::uint32_t thread = 0;       // in the block
  std::int32_t function = -1;     // Launch::module->functions
  std::int32_t instruction = -1;  // in the function
  std::string action;             // "st.release.sys.global.u32 [%rd44], %r29", "writes new input"

  friend bool operator==(const AccessSite&, const AccessSite&) = default;
};

/// A place whose accesses are all traced.
struct WatchedPlace {
  std::string memory;        // "flags of rank 1"
  std::uint64_t offset = 0;  // in bytes
};

/// An access, in the order of the run: a strong write, a strong read of such a write's value, or any of the watched
/// place.
struct TracedAccess {
  AccessSite site;
  std::string memory;
  std::uint64_t offset = 0;
  bool writes = false;
  bool is_strong = false;
  bool is_watched = false;
  std::optional<std::size_t> from = {};  // of a read: the write whose value it returned, by its place in the list
};

/// A thread that never goes on.
struct TracedWait {
  AccessSite site;
  bool spins = false;       // false: it waits at a barrier
  std::string memory = {};  // of what it reads again and again
  std::uint64_t offset = 0;
  std::uint64_t value = 0;  // that it reads
};

struct RunTrace {
  std::vector<TracedAccess> accesses;
  std::vector<TracedWait> waits;
  bool is_whole = true;  // false: accesses after so many are left out
};

}  // namespace onceover::gpu
