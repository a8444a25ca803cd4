// Sums made on the sides that the verifier says come out in the order of the ranks.

#include "verifier/operand_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "agreement.h"
#include "formats/schedule_file.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace operand_sides_test {

using namespace onceover::support;

namespace {

bool contains(const std::vector<Run>& runs, Block block) {
  return std::any_of(runs.begin(), runs.end(), [&](Run run) { return run.first <= block && block <= run.last; });
}

std::size_t index(Rank rank) {
  return static_cast<std::size_t>(rank);
}

/// The results of every rank, as the ranks that were added up one after another: "0 1 2 ".
std::vector<std::map<Block, std::string>> results(const Schedule& schedule) {
  const auto from_right = operands_from_right(schedule);
  std::vector<std::map<Block, std::string>> held(index(schedule.header().ranks));
  for (Rank r = 0; r < schedule.header().ranks; ++r)
    for (Block b = 0; b < schedule.header().blocks; ++b) held[index(r)][b] = fmt::format("{} ", r);
  std::vector<Transfer> transfers;
  std::size_t message = 0;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    const auto before = held;
    for (const Transfer& t : transfers) {
      t.blocks.for_each_block({0, schedule.header().blocks}, [&](Block b) {
        std::string& here = held[index(t.dst)][b];
        const std::string& arrives = before[index(t.src)].at(b);
        here = t.op == Op::copy ? arrives : contains(from_right[message], b) ? here + arrives : arrives + here;
      });
      ++message;
    }
  }
  return held;
}

void require_order(const Schedule& schedule) {
  std::string in_order;
  for (Rank r = 0; r < schedule.header().ranks; ++r) in_order += fmt::format("{} ", r);
  for (const auto& of_rank : results(schedule))
    for (const auto& [block, sum] : of_rank) REQUIRE(sum == in_order);
}

}  // namespace

TEST_CASE("allreduces of the catalogue that preserve the order have sides that keep it") {
  int judged = 0;
  for (const Algorithm& row : catalogue())
    for (Rank p = 1; p <= 17; ++p) {
      const Request request = on_line(Collective::allreduce, p);
      if (refusal(row, request)) continue;
      const SchedulePtr schedule = row.make(request);
      const Report report = verify(*schedule, {.threads = 1, .required = {"order-preserving"}});
      if (verdict_of(report, "exactly-once") != Verdict::pass) continue;
      if (verdict_of(report, "order-preserving") != Verdict::pass) continue;
      CAPTURE(row.name, p);
      require_order(*schedule);
      ++judged;
    }
  REQUIRE(judged > 30);
}

TEST_CASE("the blocks of one message may arrive on different sides") {
  std::ifstream file(ONCEOVER_TEST_DATA "/mixed-sides.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto schedule = read_schedule("mixed-sides.json", text.str());
  REQUIRE(schedule);
  require_order(**schedule);
  const auto from_right = operands_from_right(**schedule);
  REQUIRE(from_right == std::vector<std::vector<Run>>{{}, {}, {{1, 1}}, {}, {{0, 0}}, {}, {}});
}

TEST_CASE("blocks that arrive on the right at the root are told as runs") {
  PlainSchedule schedule;
  schedule.header = {.collective = Collective::reduce, .ranks = 2, .blocks = 4};
  schedule.steps = {{{1, 0, {0, 1, 3}, Op::reduce}, {1, 0, {2}, Op::reduce}}};
  const auto from_right = operands_from_right(*listed(schedule));
  REQUIRE(from_right.size() == 2);
  CHECK(from_right[0] == std::vector<Run>{{0, 1}, {3, 3}});
  CHECK(from_right[1] == std::vector<Run>{Run{2, 2}});
}

}  // namespace operand_sides_test
