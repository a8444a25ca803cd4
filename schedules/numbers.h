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

/// The least k with base^k >= n; base >= 2.
constexpr int ceil_log(Rank base, Rank n) {
  int log = 0;
  for (std::int64_t power = 1; power < n; power *= base) ++log;
  return log;
}

/// base^exponent, where that is below 2^62.
constexpr std::int64_t power_of(Rank base, int exponent) {
  std::int64_t power = 1;
  for (int k = 0; k < exponent; ++k) power *= base;
  return power;
}

}  // namespace onceover::schedules
