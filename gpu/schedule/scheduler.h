// Which warp runs next.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/engine.h"

namespace onceover::gpu {

/// A small generator of random numbers, the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 0x1234567) {}

  std::uint64_t roll() {
    std::uint64_t mixed = (state_ += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
  }
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(roll() % end); }

 private:
  std::uint64_t state_;
};

/// The warps that can run, by numbers. next: O(warps / 64) at worst.
class Scheduler {
 public:
  Scheduler(const ScheduleChoice& choice, std::uint32_t warps, std::uint32_t warps_per_block);

  void add(std::uint32_t warp) { runnable_[warp / 64] |= bit(warp); }
  void remove(std::uint32_t warp) { runnable_[warp / 64] &= ~bit(warp); }

  /// The warp whose turn it is; nothing if none can run.
  std::optional<std::uint32_t> next();
  /// How many instructions a thread of it may run before the next turn.
  std::uint32_t turn();
  /// Is the order of threads in a warp random, too?
  bool is_random() const { return choice_.kind == ScheduleKind::seeded; }
  Dice& dice() { return dice_; }
  bool is_starved(std::uint32_t warp) const { return warp >= starved_first_ && warp < starved_end_; }

 private:
  static std::uint64_t bit(std::uint32_t warp) { return std::uint64_t{1} << (warp % 64); }
  std::optional<std::uint32_t> first_from(std::uint32_t start) const;
  std::optional<std::uint32_t> last() const;
  std::optional<std::uint32_t> turning(std::uint32_t start) const;

  ScheduleChoice choice_;
  std::uint32_t warps_;
  std::uint32_t starved_first_ = 0;
  std::uint32_t starved_end_ = 0;
  std::uint32_t latest_ = 0;
  std::vector<std::uint64_t> runnable_;
  Dice dice_;
};

}  // namespace onceover::gpu
