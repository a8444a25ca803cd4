// RunTrace: what a picture of a run needs: flags that were written and read, accesses of one place, and who waits in
// the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/access_site.h"

namespace onceover::gpu {

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
