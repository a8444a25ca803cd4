// The arithmetic that schedules need.
#pragma once

#include <cstdint>

#include "schedules/types.h"

namespace onceover::schedules {

/// x mod n, never negative; n > 0.
constexpr Rank around(std::int64_t x, Rank n) {
  const auto r = static_cast<Rank>(x % n);
  return r < 0 ? r + n : r;
}

constexpr bool is_power_of_two(Rank n) {
  return n > 0 && (n & (n - 1)) == 0;
}

/// The least k with 2^k >= n, at most 62.
constexpr int ceil_log2(std::int64_t n) {
  int log = 0;
  while (log < 62 && (std::int64_t{1} << log) < n) ++log;
  return log;
}

}  // namespace onceover::schedules
