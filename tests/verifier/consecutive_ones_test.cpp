#include "verifier/consecutive_ones.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

namespace consecutive_ones_test {

using namespace onceover::programs;

namespace {

bool all_runs(const std::vector<Block>& order, const std::vector<ThingSet>& sets) {
  std::vector<Block> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) position[static_cast<std::size_t>(order[k])] = static_cast<Block>(k);
  return std::all_of(sets.begin(), sets.end(), [&](const ThingSet& s) { return is_run(s, position); });
}

/// Tries all orders.
bool has_order(Block n, const std::vector<ThingSet>& sets) {
  std::vector<Block> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  do {
    if (all_runs(order, sets)) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

std::vector<ThingSet> random_sets(std::mt19937& random, Block n, int count) {
  std::vector<ThingSet> sets(static_cast<std::size_t>(count));
  for (ThingSet& set : sets)
    for (Block b = 0; b < n; ++b)
      if (random() % 2 == 0) set.push_back(b);
  return sets;
}

}  // namespace

TEST_CASE("an order is found exactly if one of all orders will do") {
  std::mt19937 random(5);
  int found = 0;
  int none = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto n = static_cast<Block>(1 + random() % 7);
    const auto sets = random_sets(random, n, static_cast<int>(1 + random() % 5));
    const auto order = consecutive_order(n, sets);
    CAPTURE(k, n, sets);
    REQUIRE(order.has_value() == has_order(n, sets));
    if (order) {
      REQUIRE(all_runs(*order, sets));
      auto sorted = *order;
      std::sort(sorted.begin(), sorted.end());
      for (Block b = 0; b < n; ++b) REQUIRE(sorted[static_cast<std::size_t>(b)] == b);
    }
    (order ? found : none) += 1;
  }
  REQUIRE(found > 500);
  REQUIRE(none > 500);
}

TEST_CASE("intervals of a shuffled line are put back into a line, whatever their number") {
  std::mt19937 random(6);
  for (const Block n : {10, 50, 300}) {
    std::vector<Block> hidden(static_cast<std::size_t>(n));
    std::iota(hidden.begin(), hidden.end(), 0);
    std::shuffle(hidden.begin(), hidden.end(), random);
    std::vector<ThingSet> sets;
    for (int k = 0; k < 400; ++k) {
      const auto a = static_cast<std::ptrdiff_t>(random() % static_cast<unsigned>(n));
      const auto b = static_cast<std::ptrdiff_t>(random() % static_cast<unsigned>(n));
      ThingSet set(hidden.begin() + std::min(a, b), hidden.begin() + std::max(a, b) + 1);
      std::sort(set.begin(), set.end());
      sets.push_back(set);
    }
    const auto order = consecutive_order(n, sets);
    REQUIRE(order);
    REQUIRE(all_runs(*order, sets));
  }
}

TEST_CASE("a conflict that is shown has no order, and would have one without any of its sets") {
  std::mt19937 random(8);
  int conflicts = 0;
  for (int k = 0; k < 500; ++k) {
    const Block n = 6;
    const auto sets = random_sets(random, n, 6);
    if (consecutive_order(n, sets)) continue;
    ++conflicts;
    const auto conflict = smallest_conflict(n, sets);
    REQUIRE_FALSE(has_order(n, conflict));
    for (std::size_t without = 0; without < conflict.size(); ++without) {
      auto rest = conflict;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(without));
      REQUIRE(has_order(n, rest));
    }
  }
  REQUIRE(conflicts > 100);
}

}  // namespace consecutive_ones_test
