#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "formats/plan_file.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "plan_interpreter.h"
#include "programs/message_steps.h"
#include "programs/verify_plan.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"
#include "written.h"

namespace plan_export_test {

using namespace onceover::support;

namespace {

constexpr PlanLoweringOptions ways[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// The plan of a schedule, written and read.
ExecutionPlan exported(const Schedule& schedule, const PlanLoweringOptions& options) {
  const auto plan = lower_for_mscclpp(schedule, options);
  if (!plan) FAIL(plan.error().why);
  auto read = read_plan("p.json", written([&](std::FILE* file) { return write_plan(*plan, file); }));
  if (!read) FAIL(read.error().render());
  return *std::move(read);
}

/// Calls visit(schedule) for the rows and collectives of which there are plans.
template <class Visit>
void for_each_exported(Rank first, Rank last, Visit&& visit) {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = first; p <= last; ++p) {
        const Request request = on_line(collective, p);
        const bool has_plan = collective == Collective::allreduce || collective == Collective::allgather ||
                              collective == Collective::reduce_scatter;
        if (row.as_printed || !has_plan || refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        visit(*row.make(request));
      }
}

void require_pass(const Schedule& schedule) {
  for (const PlanLoweringOptions& way : ways) {
    CAPTURE(way.in_place, way.with_packets);
    const ExecutionPlan plan = exported(schedule, way);
    const Report report = verify(plan);
    for (const PlanGpu& gpu : plan.gpus)
      if (plan.has_two_halves) REQUIRE(gpu.chunks.scratch == plan.gpus[0].chunks.scratch);
    for (const PropertyResult& p : report.properties) {
      CAPTURE(p.id, p.summary);
      REQUIRE((!p.required || p.verdict == Verdict::pass));
    }
    REQUIRE(report.verdict == Verdict::pass);
    REQUIRE(report.find(exactly_once_property)->verdict == Verdict::pass);
    REQUIRE(report.find(repeatable_property)->verdict == Verdict::pass);
  }
}

/// Blocks between any two ranks, at each step or over all; in a schedule with `scale` blocks for one of the other.
std::map<std::tuple<int, Rank, Rank>, std::int64_t> plan_traffic(const Schedule& schedule, std::int64_t scale,
                                                                 bool by_step) {
  std::map<std::tuple<int, Rank, Rank>, std::int64_t> blocks;
  std::vector<Transfer> transfers;
  for (int step = 0; step < schedule.steps(); ++step) {
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      if (!t.is_local()) blocks[{by_step ? step : 0, t.src, t.dst}] += scale * t.blocks.size();
  }
  return blocks;
}

/// The plan moves what the schedule does; if `by_step`, also in its steps.
void require_same_messages(const Schedule& schedule, bool by_step) {
  for (const PlanLoweringOptions& way : ways) {
    CAPTURE(way.in_place, way.with_packets);
    const auto steps = message_steps(exported(schedule, way));
    if (!steps) FAIL(steps.error().why);
    const std::int64_t all = schedule.header().blocks, of_plan = steps->schedule->header().blocks;
    REQUIRE(all % of_plan == 0);
    REQUIRE(plan_traffic(*steps->schedule, all / of_plan, by_step) == plan_traffic(schedule, 1, by_step));
    REQUIRE(steps->schedule->steps() <= schedule.steps());
  }
}

SchedulePtr ring(Rank p) {
  return find_algorithm("ring")->make(on_line(Collective::allreduce, p));
}

}  // namespace

TEST_CASE("plans of the catalogue pass, again and again, to 6 ranks") {
  for_each_exported(2, 6, require_pass);
}

TEST_CASE("plans of the catalogue pass, again and again, of 8 and 9 ranks") {
  for_each_exported(8, 9, require_pass);
}

TEST_CASE("plans of the catalogue pass, again and again, to 16 ranks", "[long]") {
  for_each_exported(7, 16, require_pass);
}

TEST_CASE("plans of tori and of many blocks pass") {
  Request request{.collective = Collective::allreduce, .shape = {4, 4}};
  request.all_lanes = true;
  require_pass(*find_algorithm("swing")->make(request));
  require_pass(*ring(24));
}

TEST_CASE("a plan moves what its schedule does, in no more steps") {
  for_each_exported(2, 9, [](const Schedule& schedule) { require_same_messages(schedule, false); });
}

TEST_CASE("where each step needs the one before, a plan's messages have the steps of the schedule") {
  for (const std::string_view algorithm : {"swing", "ring", "rabenseifner"})
    for (const Rank p : {2, 4, 8, 16}) {
      CAPTURE(algorithm, p);
      require_same_messages(*find_algorithm(algorithm)->make(on_line(Collective::allreduce, p)), true);
    }
}

TEST_CASE("plans of the catalogue run right in the interpreter, call after call") {
  std::mt19937 random(7);
  for_each_exported(2, 3, [&](const Schedule& schedule) {
    for (const PlanLoweringOptions& way : ways) {
      CAPTURE(way.in_place, way.with_packets);
      const PlanRuns runs = interpret(exported(schedule, way), 1, 3, 0, 3, random);
      REQUIRE(runs.right == 3);
      REQUIRE(runs.wrong + runs.hung == 0);
    }
  });
}

TEST_CASE("a schedule that is wrong gives a plan that is wrong") {
  PlainSchedule twice = plain(*ring(3));
  twice.steps.push_back(twice.steps.back());
  for (auto& t : twice.steps.back()) t.op = Op::reduce;
  for (const PlanLoweringOptions& way : ways) {
    const Report report = verify(exported(*listed(twice), way));
    CHECK(report.find(exactly_once_property)->verdict == Verdict::fail);
    CHECK(report.find(race_free_property)->verdict == Verdict::pass);
  }
}

TEST_CASE("plans of mutants are right if and only if these are, and never race") {
  Mutator mutator(11);
  const auto made = [](std::string_view row, Collective collective, Rank p,
                       const std::map<std::string, std::string, std::less<>>& settings = {}) {
    return find_algorithm(row)->make({collective, {p}, false, settings});
  };
  int right = 0, wrong = 0;
  for (const SchedulePtr& original :
       {made("swing", Collective::allreduce, 5), made("ring", Collective::reduce_scatter, 4),
        made("bruck", Collective::allgather, 5),
        made("generalized", Collective::allreduce, 5, {{"removed-steps", "1"}}),
        made("generalized", Collective::allreduce, 6, {{"removed-steps", "2"}})})
    for (int k = 0; k < 80; ++k) {
      const SchedulePtr mutant = listed(mutator.mutant_of(mutator.mutant_of(plain(*original))));
      const Report report = verify(*mutant, {.threads = 1});
      if (report.find(well_formed_property)->verdict != Verdict::pass) continue;
      if (!lower_for_mscclpp(*mutant, {})) continue;
      const bool is_right = report.verdict == Verdict::pass;
      for (const PlanLoweringOptions& way : ways) {
        CAPTURE(original->header().algorithm, k, way.in_place, way.with_packets);
        const Report of_plan = verify(exported(*mutant, way));
        REQUIRE(of_plan.find(race_free_property)->verdict == Verdict::pass);
        REQUIRE(of_plan.find(deadlock_free_property)->verdict == Verdict::pass);
        REQUIRE((of_plan.find(exactly_once_property)->verdict == Verdict::pass) == is_right);
        REQUIRE((!is_right || of_plan.verdict == Verdict::pass));
      }
      ++(is_right ? right : wrong);
    }
  CHECK(right > 10);
  CHECK(wrong > 50);
}

TEST_CASE("plans without a handshake at the start fail when called again") {
  ExecutionPlan plan = exported(*find_algorithm("ring")->make(on_line(Collective::allgather, 3)), {});
  for (PlanGpu& gpu : plan.gpus) {
    auto& operations = gpu.blocks.front().operations;
    REQUIRE(operations[0].word == "signal");
    REQUIRE(operations[1].word == "wait");
    operations.erase(operations.begin(), operations.begin() + 2);
  }
  CHECK(verify(plan).find(repeatable_property)->verdict == Verdict::fail);
}

TEST_CASE("packets fail when called again with one half of scratch") {
  const SchedulePtr schedule = find_algorithm("ring")->make(on_line(Collective::allgather, 3));
  ExecutionPlan plan = exported(*schedule, {.with_packets = true});
  plan.has_two_halves = false;
  CHECK(verify(plan).find(repeatable_property)->verdict == Verdict::fail);
}

TEST_CASE("blocks keep the limits of the runtime") {
  for (const Rank p : {17, 40})
    for (const std::string_view algorithm : {"ring", "direct", "pairwise"}) {
      const Algorithm* row = find_algorithm(algorithm);
      if (row == nullptr || refusal(*row, on_line(Collective::allgather, p))) continue;
      CAPTURE(algorithm, p);
      const ExecutionPlan plan = exported(*row->make(on_line(Collective::allgather, p)), {});
      std::size_t most = 0;
      for (const PlanGpu& gpu : plan.gpus)
        for (const PlanBlock& block : gpu.blocks) most = std::max(most, block.operations.size());
      CHECK(most <= static_cast<std::size_t>(most_block_operations));
      CHECK(plan.gpus.front().blocks.size() > 1);
    }
}

TEST_CASE("what has no plan is refused with the reason") {
  const auto why = [](const Schedule& schedule) {
    const auto plan = lower_for_mscclpp(schedule, {});
    REQUIRE_FALSE(plan);
    CHECK(plan.error().kind == NotLowered::Kind::unfit);
    return plan.error().why;
  };
  PlainSchedule one{{.collective = Collective::broadcast, .ranks = 2, .blocks = 1}, {{{0, 1, {0}, Op::copy}}}};
  CHECK(why(*listed(one)) == "plans are made of allreduce, reduce-scatter and allgather, not of broadcast");
  PlainSchedule wide{{.collective = Collective::allreduce, .ranks = 2, .blocks = 1 << 21}, {}};
  CHECK(why(*listed(wide)) == "the vector has 2097152 chunks; 1048576 are allowed");
  PlainSchedule many{{.collective = Collective::allreduce, .ranks = 1025, .blocks = 1}, {}};
  CHECK(why(*listed(many)) == "1025 GPUs are more than 1024");
}

}  // namespace plan_export_test
