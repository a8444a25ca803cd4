#include "schedules/listed_schedule.h"

#include <catch2/catch.hpp>
#include <random>
#include <tuple>

namespace listed_schedule_test {

using namespace onceover::schedules;

namespace {

using Move = std::tuple<Block, int, Op, Rank, Rank>;

std::vector<Move> moves_of(Block block, const Trace& trace) {
  std::vector<Move> moves;
  trace.for_each_move(
      [&](int step, Op op, BlockTransfer move) { moves.emplace_back(block, step, op, move.src, move.dst); });
  return moves;
}

/// Up to four runs, with a gap between each two.
std::vector<Run> random_runs(Block blocks, std::mt19937& random) {
  std::vector<Run> runs;
  Block next = static_cast<Block>(random() % 3);
  for (auto count = random() % 5; count > 0 && next < blocks; --count) {
    const Block last = std::min<Block>(blocks - 1, next + static_cast<Block>(random() % 4));
    runs.push_back({next, last});
    next = last + 2 + static_cast<Block>(random() % 3);
  }
  return runs;
}

ListedSchedule random_schedule(std::mt19937& random) {
  const Header header{.ranks = 5, .blocks = 20};
  ListedSchedule::Builder builder;
  for (int step = 0; step < 6; ++step) {
    builder.begin_step();
    for (auto count = random() % 600; count > 0; --count)
      builder.add(static_cast<Rank>(random() % 5), static_cast<Rank>(random() % 5), random_runs(20, random),
                  random() % 2 == 0 ? Op::copy : Op::reduce, static_cast<int>(random() % 3));
  }
  return {header, std::move(builder)};
}

}  // namespace

TEST_CASE("a listed schedule's traces are what its transfers sort to, in every window") {
  std::mt19937 random(5);
  for (int k = 0; k < 5; ++k) {
    const ListedSchedule schedule = random_schedule(random);
    std::vector<std::vector<Move>> expected(20);
    std::vector<Transfer> transfers;
    std::uint64_t moves = 0;
    for (int step = 0; step < schedule.steps(); ++step) {
      schedule.transfers(step, transfers);
      for (const Transfer& t : transfers)
        t.blocks.for_each_run([&](Run run) {
          for (Block b = run.first; b <= run.last; ++b, ++moves)
            expected[static_cast<std::size_t>(b)].emplace_back(b, step, t.op, t.src, t.dst);
        });
    }
    REQUIRE(moves == schedule.block_transfers());
    for (Block first = 0; first < 20; ++first)
      for (Block end = first + 1; end <= 20; ++end) {
        Block next = first;
        bool same = true;
        schedule.traces({first, end}, [&](Block b, const Trace& trace) {
          same = same && b == next++ && moves_of(b, trace) == expected[static_cast<std::size_t>(b)];
        });
        REQUIRE(next == end);
        REQUIRE(same);
        if (end - first != 3) continue;
        schedule.Schedule::traces({first, end}, [&](Block b, const Trace& trace) {
          same = same && moves_of(b, trace) == expected[static_cast<std::size_t>(b)];
        });
        REQUIRE(same);
      }
  }
}

TEST_CASE("a window with more moves than are sorted at once is divided, also inside runs") {
  constexpr Block blocks = 700'000;
  ListedSchedule::Builder builder;
  const Run all{0, blocks - 1}, most{1, blocks - 2};
  for (int step = 0; step < 3; ++step) {
    builder.begin_step();
    builder.add(step, step + 1, {step == 1 ? &most : &all, 1}, Op::copy);
  }
  const ListedSchedule schedule({.ranks = 4, .blocks = blocks}, std::move(builder));
  for (const bool by_counting : {true, false}) {
    Block next = 0, wrong = 0;
    auto visit = [&](Block b, const Trace& trace) {
      const bool is_end = b == 0 || b == blocks - 1;
      const std::size_t expected = is_end ? 2 : 3;
      const bool right = b == next++ && trace.move_count() == expected && trace.moves()[0].src == 0 &&
                         trace.moves()[expected - 1].src == 2;
      wrong += right ? 0 : 1;
    };
    if (by_counting)
      schedule.traces({0, blocks}, visit);
    else
      schedule.Schedule::traces({0, blocks}, visit);
    CHECK(next == blocks);
    CHECK(wrong == 0);
  }
}

}  // namespace listed_schedule_test
