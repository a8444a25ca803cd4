// Schedules of far more ranks than messages are judged by a rank that has none.

#include <catch2/catch.hpp>

#include "plain_schedule.h"
#include "verifier/survey.h"
#include "verifier/verify.h"

namespace idle_ranks_test {

using namespace onceover::support;

namespace {

constexpr Rank many = 1 << 20;

using Steps = std::vector<std::vector<PlainTransfer>>;

SchedulePtr schedule_of(Collective collective, Rank ranks, Block blocks, Rank root = 0, Steps steps = {}) {
  return listed({{.collective = collective, .ranks = ranks, .blocks = blocks, .root = root}, std::move(steps)});
}

}  // namespace

TEST_CASE("idle ranks: an empty schedule of many ranks loses a contribution, in any collective") {
  for (const Contract& c : contracts) {
    if (c.collective == Collective::alltoall) continue;
    CAPTURE(c.name);
    const SchedulePtr schedule = schedule_of(c.collective, many, many, 7);
    const Report report = verify(*schedule);
    CHECK(report.verdict == Verdict::fail);
    CHECK(report.find(well_formed_property)->verdict == Verdict::unknown);
    const Counterexample& why = *report.find(exactly_once_property)->counterexample;
    CHECK(why.kind() == "missing");
    const Rank from = *why.facts().contributor;
    CHECK(from != why.rank);
    CHECK(schedule->header().holds(c.begins, from, *why.block));
    CHECK(schedule->header().holds(c.ends, why.rank, *why.block));
  }
}

TEST_CASE("idle ranks: what a rank with messages may have sent isn't said to be lost") {
  CHECK(lost_by_idle_rank(*schedule_of(Collective::broadcast, many, 1))->rank != 0);
  const SchedulePtr one = schedule_of(Collective::broadcast, many, 1, 0, {{{0, 1, {0}, Op::copy}}});
  CHECK(is_mostly_idle(*one));
  CHECK(!lost_by_idle_rank(*one));
  CHECK(verify(*one).verdict == Verdict::unknown);
}

TEST_CASE("idle ranks: a schedule of few ranks is executed, and so is one whose ranks have messages") {
  CHECK(!is_mostly_idle(*schedule_of(Collective::allreduce, 4, 4)));
  CHECK(is_mostly_idle(*schedule_of(Collective::allreduce, 2, 1 << 23)));
  CHECK(!is_mostly_idle(*schedule_of(Collective::allreduce, 1, 1 << 23)));
  const Steps pairs{{{0, 1, {0}, Op::copy}, {2, 3, {0}, Op::copy}}};
  CHECK(!is_mostly_idle(*schedule_of(Collective::allreduce, 4, 1 << 23, 0, pairs)));
}

}  // namespace idle_ranks_test
