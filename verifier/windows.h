// Windows: the blocks that each worker executes, and in what portions.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedules/schedule.h"
#include "verifier/symmetry.h"

namespace onceover::verifier {

/// A process's share of the windows: every `processes`-th, from window `number` on.
struct Share {
  int number = 0;
  int processes = 1;
};

/// The blocks to execute, handed out to threads window by window: every block, or one of each orbit.
class Windows {
 public:
  Windows(const Schedule& schedule, const std::optional<Symmetry>& symmetry, int threads, Share share);

  /// Number of blocks.
  std::int64_t size() const { return chosen_.empty() ? blocks_ : static_cast<std::int64_t>(chosen_.size()); }

  /// The next window, or nothing after the last one. May be called from any thread.
  std::optional<BlockRange> next();

  /// Which blocks are executed, and how they are divided; processes that share the work must agree on it.
  std::string text() const;

  /// The part of the work that has been handed out, 0 to 1.
  double part_begun() const { return std::min(1.0, static_cast<double>(next_ * size_) / static_cast<double>(size())); }

 private:
  Block blocks_;
  Block size_;
  std::vector<Block> chosen_;
  std::string symmetry_;  // in words
  Share share_;
  std::atomic<std::int64_t> next_;  // in windows
};

}  // namespace onceover::verifier
