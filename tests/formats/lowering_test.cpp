#include "formats/lowering.h"

#include <catch2/catch.hpp>

#include "agreement.h"
#include "formats/msccl_xml.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "program_runner.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "verifier/verify.h"

namespace lowering_test {

using namespace onceover::support;

namespace {

/// Calls visit(schedule) for the rows that are right, in all their collectives, for p in a range.
template <class Visit>
void for_each_schedule(Rank first, Rank last, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = first; p <= last; ++p) {
        const Request request = on_line(collective, p);
        if (row.as_printed || refusal(row, request) || is_carried(collective)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(*row.make(request));
      }
}

Program lowered(const Schedule& schedule, const LoweringOptions& options) {
  auto program = lower(schedule, options);
  if (!program) FAIL(program.error().why);
  return *std::move(program);
}

SchedulePtr generalized(Rank p, int removed) {
  return find_algorithm("generalized")
      ->make({Collective::allreduce, {p}, false, {{"removed-steps", std::to_string(removed)}}});
}

/// Ranks 0 and 1 of two exchange block 0 in one step, each combining or replacing.
PlainSchedule exchange(Op op, Collective collective) {
  PlainSchedule plain;
  plain.header = {.collective = collective, .ranks = 2, .blocks = 2};
  plain.steps = {{{0, 1, {0, 1}, op}, {1, 0, {0, 1}, op}}};
  return plain;
}

}  // namespace

TEST_CASE("lowering: every algorithm runs right on threads at depth 1, to 16 ranks") {
  for_each_schedule(2, 16, [](const Schedule& schedule) {
    for (const bool in_place : {false, true}) {
      CAPTURE(in_place);
      const Program program = lowered(schedule, {.in_place = in_place});
      REQUIRE(run_once(program, 1, 1) == "");
      if (schedule.header().ranks <= 8)
        for (std::uint32_t seed = 2; seed < 5; ++seed) REQUIRE(run_once(program, seed, seed) == "");
    }
  });
}

TEST_CASE("lowering: every algorithm runs right by requests under rendezvous, to 10 ranks") {
  for_each_schedule(2, 10, [](const Schedule& schedule) {
    for (const bool in_place : {false, true}) {
      CAPTURE(in_place);
      const Program program = lowered(schedule, {.style = ProgramStyle::requests, .in_place = in_place});
      for (std::uint32_t seed = 1; seed < 3; ++seed) REQUIRE(run_once(program, 0, seed) == "");
      REQUIRE(run_once(program, 1, 3) == "");
    }
  });
}

TEST_CASE("lowering: ranks that exchange the same chunks send before they combine") {
  const SchedulePtr schedule = listed(exchange(Op::reduce, Collective::allreduce));
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    CHECK(run_once(lowered(*schedule, {}), 1, seed) == "");
    CHECK(run_once(lowered(*schedule, {.most_chunks = 1}), 1, seed) == "");
    CHECK(run_once(lowered(*schedule, {.channels = 2, .most_chunks = 1}), 1, seed) == "");
    CHECK(run_once(lowered(*schedule, {.style = ProgramStyle::requests}), 0, seed) == "");
  }
}

TEST_CASE("lowering: without its orders a program doesn't run right") {
  const SchedulePtr ring = find_algorithm("ring")->make(on_line(Collective::allreduce, 4));
  for (const ProgramStyle style : {ProgramStyle::threads, ProgramStyle::requests}) {
    Program program = lowered(*ring, {.style = style});
    program.dependencies.clear();
    int wrong = 0;
    for (std::uint32_t seed = 0; seed < 10; ++seed) wrong += run_once(program, 1, seed) == "" ? 0 : 1;
    CHECK(wrong == 10);
  }
}

TEST_CASE("lowering: a schedule that is wrong gives a program that is wrong") {
  const SchedulePtr copies = listed(exchange(Op::copy, Collective::allreduce));
  CHECK(run_once(lowered(*copies, {}), 1, 1) == "rank 0 ends with the wrong o[0]");
  CHECK(run_once(lowered(*copies, {.style = ProgramStyle::requests}), 0, 1) == "rank 0 ends with the wrong o[0]");
  PlainSchedule twice = exchange(Op::reduce, Collective::allreduce);
  twice.steps.push_back(twice.steps[0]);
  CHECK(run_once(lowered(*listed(twice), {}), 1, 1) == "rank 0 ends with the wrong o[0]");
}

TEST_CASE("lowering: schedules with scratch run right in both styles, to 13 ranks") {
  for (Rank p = 2; p <= 13; ++p)
    for (int removed = 0; removed <= ceil_log2(p); ++removed) {
      CAPTURE(p, removed);
      const SchedulePtr schedule = generalized(p, removed);
      for (const bool in_place : {false, true}) {
        CHECK(run_once(lowered(*schedule, {.in_place = in_place}), 1, 1) == "");
        CHECK(run_once(lowered(*schedule, {.in_place = in_place, .channels = 2, .most_chunks = 1}), 1, 2) == "");
        CHECK(run_once(lowered(*schedule, {.style = ProgramStyle::requests, .in_place = in_place}), 0, 3) == "");
      }
    }
}

TEST_CASE("lowering: all of a step, also what stays on its rank, reads what the step began with") {
  // Block 0 is summed in 1, which trades places with 2 while 0 is overwritten from it, and comes home from 2.
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 2, .blocks = 1, .scratch = 2}, {{}, {}, {}, {}}};
  for (const Rank r : {0, 1}) {
    plain.steps[0].push_back({r, r, {0, 0}, Op::copy, {1, 2}});
    plain.steps[1].push_back({r, 1 - r, {0}, Op::reduce, {1}});
    plain.steps[2].push_back({r, r, {1, 2, 2}, Op::copy, {2, 1, 0}});
    plain.steps[3].push_back({r, r, {2}, Op::copy, {0}});
  }
  REQUIRE(verify(*listed(plain)).verdict == Verdict::pass);
  for (const ProgramStyle style : {ProgramStyle::threads, ProgramStyle::requests})
    for (std::uint32_t seed = 1; seed < 10; ++seed)
      CHECK(run_once(lowered(*listed(plain), {.style = style}), 1, seed) == "");
}

TEST_CASE("lowering: a mutant with scratch runs right if and only if it is right") {
  Mutator mutator(5);
  int right = 0, wrong = 0;
  for (const SchedulePtr& original : {generalized(3, 1), generalized(5, 1), generalized(6, 2)})
    for (int k = 0; k < 300; ++k) {
      const SchedulePtr mutant = listed(mutator.mutant_of(plain(*original)));
      const Report report = verify(*mutant, {.threads = 1});
      if (mutant->header().collective != Collective::allreduce || verdict_of(report, "well-formed") != Verdict::pass)
        continue;
      const bool is_right = report.verdict == Verdict::pass;
      for (const ProgramStyle style : {ProgramStyle::threads, ProgramStyle::requests})
        REQUIRE((run_once(lowered(*mutant, {.style = style}), style == ProgramStyle::threads ? 8 : 0, 1) == "") ==
                is_right);
      ++(is_right ? right : wrong);
    }
  CHECK(right > 10);
  CHECK(wrong > 100);
}

TEST_CASE("lowering: what has no program is refused") {
  auto refusal_of = [](const PlainSchedule& plain) {
    const auto program = lower(*listed(plain), {});
    return program ? "" : program.error().why;
  };
  PlainSchedule plain = exchange(Op::copy, Collective::alltoall);
  CHECK(refusal_of(plain).find("not of alltoall") != std::string::npos);
  plain.header.collective = Collective::allgather;
  plain.header.owners = {0, 0};
  CHECK(refusal_of(plain).find("as many blocks of each owner") != std::string::npos);
  plain.header.owners = {};
  plain.steps[0][0].dst = 0;
  CHECK(refusal_of(plain) == "step 0: rank 0 sends to itself");
  plain.steps[0][0].dst = 2;
  CHECK(refusal_of(plain) == "step 0: a transfer from rank 0 to rank 2 names a rank or block that isn't there");
}

TEST_CASE("lowering: blocks become chunks owner by owner") {
  PlainSchedule plain;
  plain.header = {.collective = Collective::allgather, .ranks = 2, .blocks = 4};  // owners 0 1 0 1
  plain.steps = {{{0, 1, {0, 2}, Op::copy}, {1, 0, {1, 3}, Op::copy}}};
  const Program program = lowered(*listed(plain), {});
  REQUIRE(program.operations.size() == 4);
  CHECK(program.operations[0].source.first == 0);
  CHECK(program.operations[0].source.count == 2);
  CHECK(run_once(program, 1, 1) == "");
}

TEST_CASE("MSCCL XML: every algorithm is within the limits of all runtimes, to 16 ranks") {
  for_each_schedule(2, 16, [](const Schedule& schedule) {
    for (const bool in_place : {false, true}) {
      const auto program = lower_for_msccl(schedule, in_place, std::nullopt, {});
      CAPTURE(program ? "" : program.error().why);
      REQUIRE(program);
      REQUIRE(run_once(*program, 1, 1) == "");
    }
  });
}

}  // namespace lowering_test
