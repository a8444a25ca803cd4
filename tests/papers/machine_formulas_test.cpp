// The papers' formulas against values computed by hand.
#include <catch2/catch.hpp>

#include "papers/presets.h"

namespace machine_formulas_test {

using namespace onceover::papers;
using Catch::Matchers::Contains;

namespace {

/// The record of a report whose first values are these.
std::vector<Json> record(const Result<PresetReport>& report, const std::vector<Json>& first) {
  REQUIRE(report);
  for (const auto& row : report->records.rows)
    if (std::equal(first.begin(), first.end(), row.begin())) return row;
  FAIL("no such record");
  return {};
}

double number(const Json& value) {
  return std::stod(value.leaf_text());
}

}  // namespace

TEST_CASE("Swing's equation (1) has the deficiencies of table 2, or those of our schedules") {
  PresetRequest asked{.plan = {}, .tori = {{4, 4}}, .bytes = {1 << 20}, .machine = {.alpha = 1000, .beta = 1}};
  const auto swing = record(swing_times(asked), {"4x4", 1048576.0, "swing"});
  CHECK(number(swing[3]) == Approx(4 * 1000 * 2 + 524288 * 1.19));
  CHECK(number(swing[4]) == Approx(4 * 1000 * 2 + 524288 * 15.0 / 16));  // nothing is congested on 4x4
  asked.tori = {{2, 4}};
  const auto rectangle = record(swing_times(asked), {"2x4", 1048576.0, "swing"});
  CHECK(rectangle[3].is_null());
  for (const std::vector<Rank>& shape : {std::vector<Rank>{1}, {8, 1}}) {
    asked.tori = {shape};
    CHECK_FALSE(swing_times(asked));
  }
}

TEST_CASE("Jain and Sabharwal's equations (1) to (5) for one's own machine") {
  PresetRequest asked{.plan = {}, .ranks = {8}, .tori = {{4, 4}, {2, 4}}, .bytes = {8000}};
  asked.machine = {.alpha = 100, .beta = 1, .gamma = 0.5};
  const auto report = bucket_times(asked);
  const auto ring = record(report, {"8", 8000.0, "reduce-scatter"});
  CHECK(number(ring[3]) == Approx(2 * 7 * 100 + 3500 + 3500));
  CHECK(number(ring[4]) == Approx(3500 + 3500));
  CHECK(number(ring[5]) == Approx(7 * 100 + 7000 + 3500));  // equation (1)
  CHECK(number(ring[6]) == Approx(7000 + 3500));
  const auto gathered = record(report, {"4x4", 8000.0, "allgather"});
  CHECK(number(gathered[3]) == Approx(2 * 4 * 3 * 100 + 15.0 / 16 * 8000 / 4));  // equation (3), nothing is added
  CHECK(number(gathered[5]) == Approx(4 * 3 * 100 + 15.0 / 16 * 8000 / 2));      // equation (5)
  const auto all = record(report, {"2x4", 8000.0, "allreduce"});
  CHECK(number(all[3]) == Approx(2 * 4 * 4 * 100 + 2 * 9.0 / 7 * 7.0 / 8 * 8000 / 4 + 3500));  // 9/7 of the bound
  asked.tori = {{1, 4}};
  CHECK_FALSE(bucket_times(asked));
}

TEST_CASE("the number of removed steps is that of equation (37) for one's own machine") {
  PresetRequest asked{.plan = {}, .ranks = {16}, .bytes = {1024}};
  asked.machine = {.alpha = 1000, .beta = 1, .gamma = 0};  // log2(1000/1024) + log2(16 / (3 ln 2)) = 2.9
  const auto report = kolmakov_steps(asked);
  CHECK(record(report, {Rank{16}, 1024.0, std::size_t{3}})[5] == Json(true));
  CHECK(number(record(report, {Rank{16}, 1024.0, std::size_t{0}})[3]) == Approx(8 + 30 * 64 / 1000.0));
  CHECK_THAT(report->text, Contains("alpha = 1.00 us"));
}

TEST_CASE("equation (37) has no value for two processes, and removes nothing where messages cost nothing") {
  PresetRequest asked{.plan = {}, .ranks = {2}, .bytes = {1024}};
  CHECK_FALSE(kolmakov_steps(asked));
  asked.ranks = {3};
  asked.machine.alpha = 0;
  CHECK(record(kolmakov_steps(asked), {Rank{3}, 1024.0, std::size_t{0}})[5] == Json(true));
}

TEST_CASE("PAT holds A (ceil(log2 p) - log2 A) - 1 blocks for others") {
  const PresetRequest asked{.plan = {}, .ranks = {16}, .bytes = {1000}};
  const auto four = record(pat_buffers(asked), {Rank{16}, 1000.0, 4});
  CHECK(number(four[3]) == 7);
  CHECK(number(four[4]) == 7000);
  CHECK(number(four[5]) == find_algorithm("pat")
                               ->make([] {
                                 Request request = on_line(Collective::allgather, 16);
                                 request.settings["aggregation"] = "4";
                                 return request;
                               }())
                               ->steps());
}

}  // namespace machine_formulas_test
