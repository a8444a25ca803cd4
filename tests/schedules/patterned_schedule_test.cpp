#include "schedules/patterned_schedule.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>
#include <vector>

#include "schedules/catalogue.h"

namespace patterned_schedule_test {

using namespace onceover::schedules;

namespace {

using Moved = std::tuple<Block, int, Rank, Rank, Op>;  // block, step, receiver, sender

/// What moves, in the order in which each receiver adds it up.
std::vector<Moved> in_order(std::vector<Moved> moved) {
  std::stable_sort(moved.begin(), moved.end(), [](const Moved& a, const Moved& b) {
    return std::tie(std::get<0>(a), std::get<1>(a), std::get<2>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b), std::get<2>(b));
  });
  return moved;
}

std::vector<Moved> as_ranks_see_it(const Schedule& schedule) {
  std::vector<Moved> moved;
  const BlockRange all{0, schedule.header().blocks};
  for (int step = 0; step < schedule.steps(); ++step)
    schedule.visit_transfers(step, [&](std::span<const Transfer> some) {
      for (const Transfer& t : some)
        t.blocks.for_each_block(all, [&](Block b) { moved.emplace_back(b, step, t.dst, t.src, t.op); });
    });
  return in_order(std::move(moved));
}

std::vector<Moved> as_blocks_see_it(const Schedule& schedule) {
  std::vector<Moved> moved;
  schedule.traces({0, schedule.header().blocks}, [&](Block b, const Trace& trace) {
    std::size_t moves = 0;
    trace.for_each_move([&](int step, Op op, BlockTransfer move) {
      moved.emplace_back(b, step, move.dst, move.src, op);
      ++moves;
    });
    if (moves != trace.move_count()) FAIL("hops without a leg");
  });
  return in_order(std::move(moved));
}

class RandomPatterns {
 public:
  explicit RandomPatterns(unsigned seed) : random_(seed) {}

  Rank below(Rank n) { return static_cast<Rank>(random_() % static_cast<unsigned>(n)); }

  Place place(Rank ring, Rank extent) {
    return below(4) == 0 ? Place::at(below(extent)) : Place::by(below(2 * ring) - ring);
  }

  Blocks blocks(Rank ring, Rank extent) {
    std::vector<Block> some;
    const bool moves = below(4) != 0;
    const Rank n = moves ? ring : extent;
    const Rank skip = 1 + below(3);
    const bool is_even = below(2) == 0;
    for (Rank x = below(n); x < n; x += is_even ? skip : 1 + below(3)) some.push_back(x);
    return moves ? Blocks::relative(some) : Blocks::fixed(some);
  }

  /// Some indices of a side, every one, every second or every third.
  Axis axis(Rank extent) {
    const Rank ring = below(3) == 0 ? std::max(1, extent - 1) : extent;
    const Rank stride = 1 + below(std::min(3, ring));
    const Rank first = below(ring);
    const Rank most = (ring - 1 - first) / stride + 1;
    return {.indices = {first, stride, below(2) == 0 ? most : 1 + below(most)},
            .ring = ring,
            .from = place(ring, extent),
            .to = place(ring, extent),
            .blocks = blocks(ring, extent),
            .extent = extent};
  }

  PatternedSchedule schedule(const std::vector<Rank>& sides) {
    Header header{.shape = sides};
    for (const Rank side : sides) header.ranks *= side;
    header.blocks = header.ranks;
    PatternedSchedule::Builder builder;
    for (int step = 0; step < 4; ++step) {
      builder.begin_step();
      for (int k = below(3); k >= 0; --k) {
        Pattern pattern{.axes = {}, .op = below(2) == 0 ? Op::reduce : Op::copy};
        for (const Rank side : sides) pattern.axes.push_back(axis(side));
        builder.add(std::move(pattern));
      }
    }
    return {std::move(header), std::move(builder)};
  }

  /// Each step one offset, which drifts for a while: what is laid out as series.
  PatternedSchedule drifting(Rank ranks) {
    Header header{.ranks = ranks, .blocks = ranks};
    PatternedSchedule::Builder builder;
    Rank offset = below(ranks);
    Rank drift = 0;
    Rank shift = 1;
    Op op = Op::reduce;
    for (int step = 0; step < 40; ++step) {
      if (below(8) == 0) drift = below(2 * ranks) - ranks;
      if (below(16) == 0) shift = below(ranks);
      if (below(16) == 0) op = op == Op::copy ? Op::reduce : Op::copy;
      builder.begin_step();
      for (int k = below(12) == 0 ? 2 : 1; k > 0; --k)
        builder.add({.indices = Indices::range(0, ranks),
                     .ring = ranks,
                     .to = Place::by(shift),
                     .blocks = Blocks::relative({offset})},
                    op);
      offset += drift;
    }
    return {std::move(header), std::move(builder)};
  }

 private:
  std::mt19937 random_;
};

}  // namespace

namespace {

/// The schedule of another one's patterns, as that one gives them back.
PatternedSchedule again(const PatternedSchedule& schedule) {
  PatternedSchedule::Builder builder;
  for (int step = 0; step < schedule.steps(); ++step) {
    builder.begin_step();
    for (Pattern& pattern : schedule.patterns(step)) builder.add(std::move(pattern));
  }
  return {schedule.header(), std::move(builder)};
}

}  // namespace

TEST_CASE("patterns: a schedule of the patterns that a schedule gives back is the same one") {
  int schedules = 0;
  const auto require_same = [&](const PatternedSchedule& schedule) {
    const PatternedSchedule copy = again(schedule);
    REQUIRE(copy.block_transfers() == schedule.block_transfers());
    REQUIRE(as_ranks_see_it(copy) == as_ranks_see_it(schedule));
    REQUIRE(as_blocks_see_it(copy) == as_blocks_see_it(schedule));
    ++schedules;
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomPatterns random(seed);
    require_same(random.schedule({1 + random.below(9), 1 + random.below(4), 1 + random.below(4)}));
    require_same(random.drifting(1 + random.below(30)));
  }
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const std::vector<Rank>& shape : {std::vector<Rank>{6}, {7}, {8}, {4, 6}, {3, 3}})
        for (const bool all_lanes : {false, true}) {
          const Request request{collective, shape, all_lanes};
          if (refusal(row, request)) continue;
          CAPTURE(row.name, name(collective), shape_text(shape), all_lanes);
          const auto schedule = std::dynamic_pointer_cast<const PatternedSchedule>(row.make(request));
          if (schedule != nullptr) require_same(*schedule);
        }
  CHECK(schedules > 700);
}

TEST_CASE("patterns: both views show the same transfers, whatever the axes") {
  std::size_t moved = 0;
  for (unsigned seed = 0; seed < 1200; ++seed) {
    RandomPatterns random(seed);
    std::vector<Rank> sides;
    const int dimensions = 1 + random.below(3);
    const Rank longest = dimensions == 1 ? 60 : 12;
    for (int k = 0; k < dimensions; ++k) sides.push_back(1 + random.below(k == 0 ? longest : 4));
    const PatternedSchedule schedule = random.schedule(sides);
    CAPTURE(seed, sides);
    const auto seen = as_ranks_see_it(schedule);
    REQUIRE(as_blocks_see_it(schedule) == seen);
    REQUIRE(schedule.block_transfers() == seen.size());
    moved += seen.size();
  }
  CHECK(moved > 300000);
}

TEST_CASE("patterns: an offset that drifts from step to step, once around the ring and further") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomPatterns random(seed);
    const PatternedSchedule schedule = random.drifting(1 + random.below(30));
    CAPTURE(seed);
    REQUIRE(as_blocks_see_it(schedule) == as_ranks_see_it(schedule));
  }
}

}  // namespace patterned_schedule_test
