#include <catch2/catch.hpp>

#include "schedules/schedule.h"

namespace names_test {

using namespace onceover::schedules;

namespace {

const Names machine{{{"node", 4}, {"gpu", 8}}, {{"scatter", 1}, {"", 3}, {"gather", 4}}};

}  // namespace

TEST_CASE("a rank's name is its place, the last axis the fastest") {
  CHECK(machine.place(0) == "(node 0, gpu 0)");
  CHECK(machine.place(11) == "(node 1, gpu 3)");
  CHECK(machine.rank(31) == "31 (node 3, gpu 7)");
  CHECK(Names{}.rank(31) == "31");
  CHECK(Names{}.place(31).empty());
}

TEST_CASE("a rank that doesn't exist has a number only") {
  for (const Rank rank : {32, 33, 1 << 20, -1, -32}) CHECK(machine.rank(rank) == std::to_string(rank));
}

TEST_CASE("a phase lasts until the next one, and may have no name") {
  const std::vector<std::string> expected{"0", "1 (scatter)", "2 (scatter)", "3", "4 (gather)", "5 (gather)"};
  for (int step = 0; step < 6; ++step) CHECK(machine.step(step) == expected[static_cast<std::size_t>(step)]);
  CHECK(Names{}.step(3) == "3");
}

TEST_CASE("steps that change places take their phases along") {
  const Names swapped = with_swapped_steps(machine, 0, 4, 6);
  const std::vector<std::string_view> expected{"gather", "scatter", "scatter", "", "", "gather"};
  for (int step = 0; step < 6; ++step) CHECK(swapped.phase(step) == expected[static_cast<std::size_t>(step)]);
  CHECK(swapped.grid == machine.grid);
  CHECK(with_swapped_steps(swapped, 0, 4, 6) == machine);
  CHECK(with_swapped_steps(Names{}, 0, 1, 3) == Names{});
}

}  // namespace names_test
