#include "schedules/block_set.h"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace onceover;

namespace {

std::set<Block> members(const BlockSet& blocks) {
  std::set<Block> all;
  blocks.for_each_run([&](Run run) {
    REQUIRE(run.first <= run.last);
    REQUIRE((all.empty() || *all.rbegin() + 1 < run.first));  // upward, and no two runs touch
    for (Block b = run.first; b <= run.last; ++b) all.insert(b);
  });
  return all;
}

std::size_t count_runs(const BlockSet& blocks) {
  std::size_t runs = 0;
  blocks.for_each_run([&](Run) { ++runs; });
  return runs;
}

std::vector<Run> subset_runs(unsigned bits, Block modulus) {
  std::vector<Run> runs;
  for (Block x = 0; x < modulus; ++x)
    if ((bits >> x & 1u) != 0) runs.push_back({x, x});
  normalise(runs);
  return runs;
}

}  // namespace

TEST_CASE("every subset of rings up to 8, turned by everything, is what its definition says") {
  for (Block modulus = 1; modulus <= 8; ++modulus)
    for (unsigned bits = 0; bits < 1u << modulus; ++bits) {
      const std::vector<Run> runs = subset_runs(bits, modulus);
      const auto size = static_cast<Block>(__builtin_popcount(bits));
      for (Block rotation = 0; rotation < modulus; ++rotation) {
        const Block base = 10;
        const BlockSet blocks(runs, size, modulus, rotation, base);
        std::set<Block> expected;
        for (Block x = 0; x < modulus; ++x)
          if ((bits >> x & 1u) != 0) expected.insert(base + (x + rotation) % modulus);
        REQUIRE(members(blocks) == expected);
        REQUIRE(count_runs(blocks) == blocks.run_count());
        REQUIRE(blocks.size() == static_cast<Block>(expected.size()));
        for (Block b = 0; b < 25; ++b) REQUIRE(blocks.contains(b) == (expected.count(b) > 0));
        REQUIRE(blocks.inside(base + modulus));
        REQUIRE(blocks.inside(base + 1) == (expected.empty() || *expected.rbegin() <= base));
        for (Block first = 9; first < 20; ++first) {
          std::set<Block> in_window;
          blocks.for_each_block({first, first + 3}, [&](Block b) { in_window.insert(b); });
          std::set<Block> expected_in_window;
          for (const Block b : expected)
            if (b >= first && b < first + 3) expected_in_window.insert(b);
          REQUIRE(in_window == expected_in_window);
        }
      }
    }
}

TEST_CASE("normalising joins touching runs and reports shared blocks") {
  std::vector<Run> runs{{5, 6}, {0, 1}, {2, 2}, {9, 9}};
  REQUIRE_FALSE(normalise(runs));
  REQUIRE(runs == std::vector<Run>{{0, 2}, {5, 6}, {9, 9}});
  std::vector<Run> overlapping{{3, 8}, {1, 2}, {7, 9}};
  REQUIRE(normalise(overlapping) == 7);
  std::vector<Run> none;
  REQUIRE_FALSE(normalise(none));
}
