// Counts are drawn from a small pattern modulo m, which has no common factor with 2 and 3 and is larger than p: rank k
// has 3k + 1 elements more than asked for, and rank i has i + 3j more for rank j. So no two ranks have equally many, no
// two pairs of a row or a column have, and (i, j) differs from (j, i). Where the sum is 0 modulo m, there is nothing.
//
// Example: with p = 2, m is 5, and each rank is to have 10 elements for each. Rank 0 has none for itself and 13 for
// rank 1, which has 11 for rank 0 and 14 for itself.

#include "live/layout.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace onceover::live {

namespace {

constexpr std::array<std::string_view, 4> names{"even", "uneven", "scattered", "one"};

/// The smallest number beyond p that has no common factor with 2 and 3.
int modulus(Rank ranks) {
  int m = ranks + 1;
  while (m % 2 == 0 || m % 3 == 0) ++m;
  return m;
}

int varied(int count, std::int64_t number, Rank ranks) {
  const auto more = static_cast<int>(number % modulus(ranks));
  return more == 0 ? 0 : count + more;
}

/// The order in which parts lie in a scattered buffer, and where the first one begins.
struct Order {
  Rank first;
  Rank step;
  std::int64_t begin;
};

PlacedParts scattered(std::span<const int> counts, BufferSide side, Rank rank) {
  const auto ranks = static_cast<Rank>(counts.size());
  const Order order = side == BufferSide::received ? Order{ranks - 1, ranks - 1, 1 + rank % 2} : Order{1 % ranks, 1, 2};
  PlacedParts placing{std::vector<Part>(counts.size()), 0};
  std::int64_t at = order.begin;
  for (Rank k = 0, other = order.first; k < ranks; ++k, other = (other + order.step) % ranks) {
    const int count = counts[static_cast<std::size_t>(other)];
    placing.parts[static_cast<std::size_t>(other)] = {at, count};
    placing.length = std::max(placing.length, at + count + 1);
    const bool overlaps = side == BufferSide::sent_and_shared && count > 0 && other % 2 == 1;
    at += overlaps ? count - 1 : count + (side == BufferSide::received ? other % 2 : 1);
  }
  return placing;
}

}  // namespace

std::span<const std::string_view> layout_names() {
  return names;
}

int share_of(Layout layout, int count, Rank ranks, Rank rank) {
  switch (layout) {
    case Layout::even: return count;
    case Layout::uneven:
    case Layout::scattered: return varied(count, 3 * std::int64_t{rank} + 1, ranks);
    case Layout::one: return rank == ranks - 1 ? count : 0;
  }
  return 0;
}

int count_of(Layout layout, int count, Rank ranks, Rank src, Rank dst) {
  constexpr Rank without = 1;  // sends nothing and gets nothing, if there are others
  const bool is_without = ranks > 2 && (src == without || dst == without);
  switch (layout) {
    case Layout::even: return count;
    case Layout::uneven:
    case Layout::scattered: return varied(count, src + 3 * std::int64_t{dst}, ranks);
    case Layout::one: return !is_without && (src == ranks - 1 || dst == 0) ? count : 0;
  }
  return 0;
}

PlacedParts placed(Layout layout, std::span<const int> counts, BufferSide side, Rank rank) {
  const bool is_empty = std::all_of(counts.begin(), counts.end(), [](int count) { return count == 0; });
  if (layout == Layout::scattered && !is_empty) return scattered(counts, side, rank);
  PlacedParts placing{std::vector<Part>(counts.size()), 0};
  for (std::size_t k = 0; k < counts.size(); ++k) {
    placing.parts[k] = {placing.length, counts[k]};
    placing.length += counts[k];
  }
  return placing;
}

}  // namespace onceover::live
