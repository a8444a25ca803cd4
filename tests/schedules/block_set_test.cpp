#include "schedules/block_set.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>

namespace block_set_test {

using namespace onceover::schedules;

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

namespace {

Block size_of(unsigned bits) {
  return static_cast<Block>(__builtin_popcount(bits));
}

/// Compares a set of blocks, by all that it can be asked, with the blocks that it should hold.
void check(const BlockSet& blocks, const std::set<Block>& expected) {
  REQUIRE(members(blocks) == expected);
  REQUIRE(count_runs(blocks) == blocks.run_count());
  std::vector<Block> listed{-7};  // which goes
  blocks.list(listed);
  std::sort(listed.begin(), listed.end());
  REQUIRE(listed == std::vector<Block>(expected.begin(), expected.end()));
  REQUIRE(blocks.size() == static_cast<Block>(expected.size()));
  for (Block b = -1; b < 40; ++b) REQUIRE(blocks.contains(b) == (expected.count(b) > 0));
  for (Block end = 1; end < 40; end += 3) REQUIRE(blocks.inside(end) == (expected.empty() || *expected.rbegin() < end));
  for (Block first = 0; first < 30; first += 5) {
    std::set<Block> in_window;
    blocks.for_each_block({first, first + 7}, [&](Block b) { in_window.insert(b); });
    REQUIRE(in_window == std::set<Block>(expected.lower_bound(first), expected.lower_bound(first + 7)));
  }
}

}  // namespace

TEST_CASE("every subset of rings up to 7, turned by everything, is what its definition says") {
  for (Block ring = 1; ring <= 7; ++ring)
    for (unsigned bits = 0; bits < 1u << ring; ++bits) {
      const std::vector<Run> runs = subset_runs(bits, ring);
      check(BlockSet(runs, size_of(bits)), members(BlockSet(runs, size_of(bits))));
      for (const Block extent : {ring, ring + 1}) {
        const std::vector<BlockAxis> axes{{runs, size_of(bits), ring, extent, 1, true}};
        for (Block rotation = 0; rotation < ring; ++rotation) {
          std::set<Block> expected;
          for (Block x = 0; x < ring; ++x)
            if ((bits >> x & 1u) != 0) expected.insert(10 + (x + rotation) % ring);
          check(BlockSet(axes, size_of(bits), rotation, 10), expected);
        }
      }
    }
}

TEST_CASE("products of sets are what their definition says") {
  std::mt19937 random(5);
  for (int k = 0; k < 3000; ++k) {
    std::vector<std::vector<Run>> runs;
    std::vector<BlockAxis> axes;
    std::set<Block> expected{0};
    Block stride = 1;
    Block code = 0;
    const std::vector<Block> extents{Block(1 + random() % 4), Block(1 + random() % 3), Block(1 + random() % 3)};
    for (const Block extent : extents) stride *= extent;
    for (const Block extent : extents) {
      stride /= extent;
      const Block ring = extent - (extent > 1 && random() % 3 == 0 ? 1 : 0);
      const bool moves = random() % 2 == 0;
      const unsigned bits = static_cast<unsigned>(random()) % (1u << (moves ? ring : extent));
      const Block index = static_cast<Block>(random() % static_cast<unsigned>(ring));
      code = code * extent + index;
      runs.push_back(subset_runs(bits, moves ? ring : extent));
      axes.push_back({{}, size_of(bits), moves ? ring : extent, extent, stride, moves});
      std::set<Block> longer;
      for (const Block prefix : expected)
        for (Block x = 0; x < extent; ++x)
          if ((bits >> x & 1u) != 0) longer.insert(prefix * extent + (moves ? (x + index) % ring : x));
      expected = longer;
    }
    for (std::size_t a = 0; a < axes.size(); ++a) axes[a].runs = runs[a];
    const auto base = static_cast<Block>(random() % 5);
    std::set<Block> moved;
    for (const Block b : expected) moved.insert(base + b);
    check(BlockSet(axes, static_cast<Block>(expected.size()), code, base), moved);
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

}  // namespace block_set_test
