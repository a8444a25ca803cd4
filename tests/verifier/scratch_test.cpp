// Schedules with scratch: both engines agree on right and wrong ones, and on what is said about these.
#include <catch2/catch.hpp>

#include "agreement.h"
#include "formats/schedule_file.h"
#include "mutator.h"
#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"
#include "schedules/numbers.h"
#include "tracing_engine.h"
#include "verifier/verify.h"
#include "written.h"

namespace scratch_test {

using namespace onceover::support;

namespace {

SchedulePtr generalized(Rank p, int removed, const std::string& group = "cyclic") {
  const Algorithm& row = *find_algorithm("generalized");
  const Request request{
      Collective::allreduce, {p}, false, {{"removed-steps", std::to_string(removed)}, {"group", group}}};
  REQUIRE_FALSE(refusal(row, request));
  return row.make(request);
}

Report full_report(const Schedule& schedule) {
  return verify(schedule, {.threads = 1, .bounds = {.ports = 1}, .unrequired_up_to = UINT64_MAX});
}

PlainTransfer local(Rank rank, Block from, Block into, Op op) {
  return {rank, rank, {from}, op, {into}};
}

/// An allreduce of two ranks in which each sums in scratch, and copies the sum home.
PlainSchedule in_scratch() {
  PlainSchedule s{{.collective = Collective::allreduce, .ranks = 2, .blocks = 1, .scratch = 1}, {}};
  s.steps = {{local(0, 0, 1, Op::copy), local(1, 0, 1, Op::copy)},
             {{0, 1, {0}, Op::reduce, {1}}, {1, 0, {0}, Op::reduce, {1}}},
             {local(0, 1, 0, Op::copy), local(1, 1, 0, Op::copy)}};
  return s;
}

/// One scratch block that two blocks use one after the other.
PlainSchedule shared_scratch() {
  PlainSchedule s{{.collective = Collective::reduce, .ranks = 2, .blocks = 2, .scratch = 1}, {}};
  s.steps = {{{1, 0, {0}, Op::copy, {2}}},
             {local(0, 2, 0, Op::reduce)},
             {{1, 0, {1}, Op::copy, {2}}},
             {local(0, 2, 1, Op::reduce)}};
  return s;
}

bool passes(const PlainSchedule& schedule) {
  return verify(*listed(schedule)).verdict == Verdict::pass;
}

TEST_CASE("scratch: sums may be made beside the blocks") {
  CHECK(passes(in_scratch()));
  CHECK(disagreement(*listed(in_scratch())) == "");
}

TEST_CASE("scratch: blocks may share it, one after the other") {
  CHECK(passes(shared_scratch()));
  CHECK(disagreement(*listed(shared_scratch())) == "");
}

TEST_CASE("scratch: a wrong source, a stale read, an empty read and a missing way home fail") {
  PlainSchedule wrong_source = shared_scratch();
  wrong_source.steps[2][0].blocks = {0};
  PlainSchedule stale = shared_scratch();
  std::swap(stale.steps[2], stale.steps[3]);
  PlainSchedule empty = in_scratch();
  empty.steps[0].pop_back();
  PlainSchedule never_home = in_scratch();
  never_home.steps.pop_back();
  PlainSchedule into_itself = in_scratch();
  into_itself.steps[0][0].into = {0};
  for (const auto& schedule : {wrong_source, stale, empty, never_home, into_itself}) {
    CHECK_FALSE(passes(schedule));
    CHECK(disagreement(*listed(schedule)) == "");
  }
  const Report report = verify(*listed(stale));
  CHECK(describe(counterexample_of(report, "exactly-once")).front() ==
        "rank 0 ends with rank 1's contribution to block 0 in block 1");
}

TEST_CASE("scratch: what no promised block has to do with stays empty, and reading it fails") {
  PlainSchedule schedule = in_scratch();
  schedule.header.scratch = 3;
  schedule.steps.push_back({local(1, 2, 3, Op::copy)});
  CHECK_FALSE(passes(schedule));
  CHECK(disagreement(*listed(schedule)) == "");
}

TEST_CASE("scratch: values may move between promised blocks, too") {
  PlainSchedule swapped{{.collective = Collective::allgather, .ranks = 2, .blocks = 2, .scratch = 0}, {}};
  swapped.steps = {{{0, 1, {0}, Op::copy, {1}}, {1, 0, {1}, Op::copy}}};
  CHECK_FALSE(passes(swapped));
  CHECK(disagreement(*listed(swapped)) == "");
}

TEST_CASE("scratch: a block that lands twice is sent once") {
  PlainSchedule schedule = in_scratch();
  schedule.steps[1][0] = {0, 1, {0, 0}, Op::reduce, {0, 1}};
  schedule.steps[2].pop_back();
  const Report report = verify(*listed(schedule), {});
  CHECK(report.verdict == Verdict::pass);
  CHECK(report.metrics.block_transfers == 2);
}

namespace {

void require_bounds(Rank most) {
  for (Rank p = 2; p <= most; ++p) {
    const int steps = ceil_log2(p);
    for (int r = 0; r <= steps; ++r) {
      const auto schedule = generalized(p, r);
      const Report report = verify(*schedule, {.threads = 1, .bounds = {.ports = 1}});
      INFO("p = " << p << ", r = " << r);
      REQUIRE(report.verdict == Verdict::pass);
      const auto m = report.metrics;
      const auto ranks = static_cast<std::uint64_t>(p);
      CHECK(m.steps == 2 * steps - r);
      CHECK(m.messages == ranks * static_cast<std::uint64_t>(2 * steps - r));
      // With N <= 2^r vectors left for the distribution a rank sends what (36) says for N instead of 2^r; all its
      // blocks in each step if nothing is left to distribute (44).
      Rank n = p;
      for (int k = 0; k < steps - r; ++k) n = (n + 1) / 2;
      const int blocks = r == steps ? p * steps : 2 * (p - 1) + (n - 1) * (steps - 1);
      CHECK(m.blocks_sent_max == static_cast<std::uint64_t>(blocks));
      CHECK(m.blocks_sent_min == m.blocks_sent_max);
    }
  }
}

}  // namespace

TEST_CASE("generalized: one message a step, within the paper's bounds, for every p to 40 and all removed steps") {
  require_bounds(40);
}

TEST_CASE("generalized: one message a step, within the paper's bounds, for every p to 130 and all removed steps",
          "[long]") {
  require_bounds(130);
}

TEST_CASE("generalized: with removed steps, ranks end with the same bits for powers of two only") {
  for (Rank p = 2; p <= 40; ++p)
    for (int r = 0; r <= ceil_log2(p); ++r) {
      INFO("p = " << p << ", r = " << r);
      const bool is_power = (p & (p - 1)) == 0;
      CHECK((verdict_of(full_report(*generalized(p, r)), "bitwise-reproducible") == Verdict::pass) ==
            (r == 0 || is_power));
    }
}

TEST_CASE("generalized: both engines agree for small p, all removed steps and groups") {
  for (Rank p = 2; p <= 12; ++p)
    for (int r = 0; r <= ceil_log2(p); ++r) {
      INFO("p = " << p << ", r = " << r);
      CHECK(disagreement(*generalized(p, r)) == "");
    }
  for (const auto& [p, group, steps] :
       {std::tuple(12, "3x4", 4), {15, "3x5", 5}, {15, "5x3", 5}, {16, "xor", 4}, {18, "2x3x3", 5}})
    for (int r = 0; r <= steps; ++r) {
      INFO("p = " << p << ", r = " << r << ", " << group);
      const auto schedule = generalized(p, r, group);
      CHECK(verify(*schedule, {.bounds = {.ports = 1}}).verdict == Verdict::pass);
      CHECK(disagreement(*schedule) == "");
    }
}

void check_properties(const Schedule& schedule) {
  const Report report = full_report(schedule);
  if (verdict_of(report, "exactly-once") != Verdict::pass) return;
  const auto traces = reference::trace(schedule);
  CHECK((verdict_of(report, "order-preserving") == Verdict::pass) == reference::is_order_preserving(traces));
  CHECK((verdict_of(report, "bitwise-reproducible") == Verdict::pass) ==
        (reference::most_different_sums(traces, schedule.header().blocks) == 1));
  CHECK(report.find(no_redundant_transfer_property)->violations ==
        static_cast<std::uint64_t>(reference::redundant_transfers(traces)));
  CHECK(report.find(staging_property)->peak()->number == traces.staged);
  CHECK((verdict_of(report, "emptied-buffers") == Verdict::fail) == reference::reuses_full_buffers(schedule));
}

TEST_CASE("generalized: the properties are those of the slow engine") {
  for (Rank p = 2; p <= 10; ++p)
    for (int r = 0; r <= ceil_log2(p); ++r) {
      INFO("p = " << p << ", r = " << r);
      check_properties(*generalized(p, r));
    }
}

TEST_CASE("scratch: the properties are those of the slow engine, also where blocks exchange values") {
  CHECK(full_report(*listed(shared_scratch())).find(no_redundant_transfer_property)->verdict == Verdict::pass);
  CHECK(full_report(*listed(shared_scratch())).find(staging_property)->peak()->number == 1);
  // Blocks 0 and 1 change places on their way; block 2 visits scratch, and then scratch gets what nobody reads.
  PlainSchedule crossing{{.collective = Collective::broadcast, .ranks = 2, .blocks = 3, .scratch = 1}, {}};
  crossing.steps = {
      {{0, 1, {0, 1, 2}, Op::copy, {1, 0, 3}}}, {{1, 1, {0, 1, 3}, Op::copy, {1, 0, 2}}}, {{0, 1, {1}, Op::copy, {3}}}};
  check_properties(*listed(crossing));
  CHECK(full_report(*listed(crossing)).find(no_redundant_transfer_property)->violations == 1);
  Mutator mutator(7);
  for (const auto& original : {in_scratch(), shared_scratch(), crossing})
    for (int k = 0; k < 300; ++k) check_properties(*listed(mutator.mutant_of(original)));
}

TEST_CASE("scratch: a message is one run only if it also lands as one, in the same order") {
  PlainSchedule schedule{{.collective = Collective::broadcast, .ranks = 2, .blocks = 2, .scratch = 2}, {}};
  auto contiguous = [&](const PlainTransfer& message) {
    schedule.steps = {{message}};
    return contiguous_property.of_schedule(*listed(schedule), {});
  };
  CHECK(contiguous({0, 1, {0, 1}, Op::copy, {2, 3}}).verdict == Verdict::pass);
  CHECK(contiguous({0, 1, {0, 1}, Op::copy, {1, 3}}).layout()->blocks.size() == 4);
  CHECK(contiguous({0, 1, {0, 1}, Op::copy, {1, 2}}).verdict == Verdict::pass);
  CHECK(contiguous({0, 1, {0, 1}, Op::copy, {1, 0}}).verdict == Verdict::unknown);
  const Finding twice = contiguous({0, 1, {0, 0}, Op::copy, {0, 1}});
  CHECK(twice.verdict == Verdict::fail);
  CHECK(describe(*twice.counterexample).back() == "step 0, rank 0 -> 1: blocks 0, of which some land twice");
}

/// Says that it has 2^62 transfers, of four blocks that exchange values.
class Endless final : public Schedule {
 public:
  Endless() : Schedule({.collective = Collective::allreduce, .ranks = 1, .blocks = 4}) {
    Groups all(4, 0);
    for (Block b = 1; b < 4; ++b) all.join(0, b);
    all.settle();
    set_groups(std::move(all));
  }
  int steps() const override { return 0; }
  std::uint64_t block_transfers() const override { return std::uint64_t{1} << 62; }
  void visit_transfers(int, const TransferVisitor&) const override {}
};

TEST_CASE("scratch: the work of blocks that exchange values is beyond any budget, not around 2^64") {
  CHECK(verify(Endless()).verdict == Verdict::unknown);
}

TEST_CASE("scratch: data of another block has its name, and no place in the order of the ranks") {
  // The sum of block 0 gets rank 0's contribution to block 1, too, and what follows rank 1 is no rank 2.
  PlainSchedule mixed{{.collective = Collective::reduce, .ranks = 2, .blocks = 2, .scratch = 0}, {}};
  mixed.steps = {{{1, 0, {0, 1}, Op::reduce}}, {{0, 1, {1}, Op::copy, {0}}}, {{1, 0, {0}, Op::reduce}}};
  const Report report = full_report(*listed(mixed));
  CHECK(describe(counterexample_of(report, "order-preserving")).front() ==
        "block 0: what rank 1 sends rank 0 at step 2 joins ranks 0..1 with another block, which aren't neighbours");
}

TEST_CASE("scratch: both views of a pattern have the same moves, and the symmetry changes no verdict") {
  for (const Rank p : {5, 7, 12, 23})
    for (int r = 0; r <= ceil_log2(p); ++r) {
      const auto schedule = generalized(p, r);
      const auto copy = listed(plain(*schedule));
      INFO("p = " << p << ", r = " << r);
      CHECK(verify(*schedule, {.without_symmetry_up_to = 0}).verdict == Verdict::pass);
      CHECK(verify(*copy, {.without_symmetry_up_to = 0}).verdict == Verdict::pass);
      CHECK(verify(*copy).metrics == verify(*schedule).metrics);
    }
}

TEST_CASE("scratch: a file of version 2 is read as it was written") {
  for (const auto& schedule :
       {SchedulePtr(listed(in_scratch())), SchedulePtr(listed(shared_scratch())), generalized(7, 3)}) {
    const std::string text = written([&](std::FILE* file) { return write_schedule(*schedule, file); });
    const auto read = read_schedule("a file", text);
    REQUIRE(read);
    CHECK(plain(**read).steps == plain(*schedule).steps);
    CHECK((*read)->header().scratch == schedule->header().scratch);
  }
}

TEST_CASE("scratch: both engines agree on mutants") {
  Mutator mutator(24);
  for (const auto& original : {in_scratch(), shared_scratch(), plain(*generalized(5, 1)), plain(*generalized(7, 3)),
                               plain(*generalized(6, 2))})
    for (int k = 0; k < 300; ++k) {
      const PlainSchedule mutant = mutator.mutant_of(original);
      INFO(written([&](std::FILE* file) { return write_schedule(*listed(mutant), file); }));
      CHECK(disagreement(*listed(mutant)) == "");
    }
}

}  // namespace

}  // namespace scratch_test
