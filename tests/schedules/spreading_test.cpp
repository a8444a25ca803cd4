// Whole vectors in ceil(log2 p) steps, for the p that allow it.

#include <catch2/catch.hpp>

#include "agreement.h"
#include "schedules/algorithms/algorithms.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"

namespace spreading_test {

using namespace onceover::support;

namespace {

Request spread(Rank p) {
  return {.shape = {p}, .settings = {{"remainder", "spread"}}};
}

/// Are there ranks enough for the holders of all runs, at each step?
bool has_enough(Rank p) {
  const int steps = ceil_log2(p);
  const auto divided = [&](int t) { return (std::int64_t{p} + (std::int64_t{1} << t) - 1) >> t; };
  for (int t = 0; t <= steps; ++t)
    if (divided(steps - t) * divided(t) > p) return false;
  return true;
}

Report full_report(const Schedule& schedule) {
  return verify(schedule, {.threads = 1, .unrequired_up_to = UINT64_MAX});
}

}  // namespace

TEST_CASE("whole vectors are spread exactly where the runs' holders find room") {
  for (Rank p = 1; p <= 1 << 16; ++p) REQUIRE(refuse_spreading(p).has_value() != has_enough(p));
}

TEST_CASE("spread whole vectors take ceil(log2 p) steps of one message, in order, with the same bits on all ranks") {
  const Algorithm& row = *find_algorithm("recursive-doubling");
  int tried = 0;
  for (Rank p = 1; p <= 300; ++p) {
    if (refusal(row, spread(p))) continue;
    CAPTURE(p);
    const SchedulePtr schedule = row.make(spread(p));
    if (p <= 68) REQUIRE(disagreement(*schedule) == "");
    const Report report = full_report(*schedule);
    REQUIRE(report.verdict == Verdict::pass);
    REQUIRE(schedule->steps() == ceil_log2(p));
    REQUIRE(report.metrics.max_sends_per_rank_step <= 1);
    REQUIRE(report.metrics.max_receives_per_rank_step <= 1);
    for (const char* property : {"bitwise-reproducible", "order-preserving"})
      REQUIRE(verdict_of(report, property) == Verdict::pass);
    ++tried;
  }
  CHECK(tried == 112);
}

TEST_CASE("where whole vectors need a step more, the refusal says which power of two does not divide p") {
  const auto why = [](const Request& request) {
    return refusal(*find_algorithm("recursive-doubling"), request).value_or("");
  };
  CHECK(why(spread(7)) ==
        "remainder=spread takes 3 steps, and with one value a rank p = 7 needs one more: 2 doesn't divide it");
  CHECK(why(spread(14)) ==
        "remainder=spread takes 4 steps, and with one value a rank p = 14 needs one more: 4 doesn't divide it");
  CHECK(why({.shape = {2, 3}, .settings = {{"remainder", "spread"}}}) == "remainder=spread is for a line of ranks");
}

}  // namespace spreading_test
