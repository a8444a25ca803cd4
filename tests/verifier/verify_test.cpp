#include "verifier/verify.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <stdexcept>
#include <thread>

#include "agreement.h"
#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"

namespace verify_test {

using namespace onceover::support;

namespace {

PlainSchedule random_schedule(std::mt19937& random) {
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PlainSchedule plain;
  plain.header.collective = contracts[random() % contracts.size()].collective;
  plain.header.ranks = 1 + below(5);
  plain.header.blocks = 1 + below(5);
  plain.header.root = is_rooted(plain.header.collective) ? below(plain.header.ranks) : 0;
  if (below(3) == 0)
    for (Block b = 0; b < plain.header.blocks; ++b) plain.header.owners.push_back(below(plain.header.ranks));
  const int copies = below(3);  // none, some or most
  for (int s = below(5); s > 0; --s) {
    auto& step = plain.steps.emplace_back();
    for (int t = below(6); t > 0; --t) {
      PlainTransfer transfer{below(plain.header.ranks), below(plain.header.ranks), {}, Op::reduce};
      if (transfer.src == transfer.dst && below(20) > 0) continue;
      if (below(4) < copies * 2) transfer.op = Op::copy;
      for (Block b = 0; b < plain.header.blocks; ++b)
        if (below(3) == 0) transfer.blocks.push_back(b);
      if (!transfer.blocks.empty()) step.push_back(transfer);
    }
  }
  return plain;
}

SchedulePtr make(const char* algorithm, Collective collective, Rank p) {
  return find_algorithm(algorithm)->make(on_line(collective, p));
}

/// A schedule whose transfers say one thing and whose traces another.
class TwoViews final : public Schedule {
 public:
  TwoViews(SchedulePtr by_step, SchedulePtr by_block)
      : Schedule(by_step->header()), by_step_(std::move(by_step)), by_block_(std::move(by_block)) {}

  int steps() const override { return by_step_->steps(); }
  std::uint64_t block_transfers() const override { return by_step_->block_transfers(); }
  void visit_transfers(int step, const TransferVisitor& visit) const override {
    by_step_->visit_transfers(step, visit);
  }
  void traces(BlockRange window, const TraceVisitor& visit) const override { by_block_->traces(window, visit); }

 private:
  SchedulePtr by_step_;
  SchedulePtr by_block_;
};

/// Shows its first step only when the second one is asked for, too: two threads that share two steps get one each.
class InTurn final : public Schedule {
 public:
  explicit InTurn(SchedulePtr inner) : Schedule(inner->header()), inner_(std::move(inner)) {}

  int steps() const override { return inner_->steps(); }
  std::uint64_t block_transfers() const override { return inner_->block_transfers(); }

  void visit_transfers(int step, const TransferVisitor& visit) const override {
    ++begun_;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (begun_ < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    inner_->visit_transfers(step, visit);
  }

 private:
  SchedulePtr inner_;
  mutable std::atomic<int> begun_ = 0;
};

}  // namespace

TEST_CASE("both engines agree on random small schedules, right and wrong") {
  std::mt19937 random(7);
  int passes = 0;
  int undefined = 0;
  int wrong = 0;
  for (int k = 0; k < 40000; ++k) {
    const SchedulePtr schedule = listed(random_schedule(random));
    CAPTURE(k);
    REQUIRE(disagreement(*schedule) == "");
    const Report report = verify(*schedule);
    if (report.verdict == Verdict::pass) ++passes;
    if (verdict_of(report, "well-formed") == Verdict::fail)
      ++undefined;
    else if (report.verdict == Verdict::fail)
      ++wrong;
  }
  // All three outcomes must have been met often, or this test says little.
  REQUIRE(passes > 500);
  REQUIRE(undefined > 5000);
  REQUIRE(wrong > 5000);
}

TEST_CASE("a broadcast and a reduce along a chain pass, with the root elsewhere they fail") {
  for (const Collective collective : {Collective::broadcast, Collective::reduce}) {
    PlainSchedule chain{{.collective = collective, .ranks = 4, .blocks = 2, .root = 0}, {}};
    for (Rank r = 0; r < 3; ++r) {
      if (collective == Collective::broadcast)
        chain.steps.push_back({{r, r + 1, {0, 1}, Op::copy}});
      else
        chain.steps.push_back({{3 - r, 2 - r, {0, 1}, Op::reduce}});
    }
    REQUIRE(verify(*listed(chain)).verdict == Verdict::pass);
    REQUIRE(disagreement(*listed(chain)) == "");
    chain.header.root = 1;
    REQUIRE(verify(*listed(chain)).verdict == Verdict::fail);
    REQUIRE(disagreement(*listed(chain)) == "");
  }
}

TEST_CASE("several reductions into one rank in a step are allowed and each counts") {
  PlainSchedule star{{.collective = Collective::reduce, .ranks = 5, .blocks = 1, .root = 2}, {{}}};
  for (const Rank r : {0, 1, 3, 4}) star.steps[0].push_back({r, 2, {0}, Op::reduce});
  REQUIRE(verify(*listed(star)).verdict == Verdict::pass);
  REQUIRE(verify(*listed(star)).metrics.term_depth == 4);
  star.steps[0].push_back({4, 2, {0}, Op::reduce});
  const Report report = verify(*listed(star));
  REQUIRE(report.verdict == Verdict::fail);
  REQUIRE(describe(counterexample_of(report, "exactly-once")) ==
          std::vector<std::string>{"rank 2 ends with rank 4's contribution to block 0 twice",
                                   "way 1: rank 4 -> 2 at step 0", "way 2: rank 4 -> 2 at step 0"});
}

TEST_CASE("a step reads what it began with: two ranks swap their values") {
  PlainSchedule swap{{.collective = Collective::allgather, .ranks = 2, .blocks = 2}, {}};
  swap.steps.push_back({{0, 1, {0}, Op::copy}, {1, 0, {1}, Op::copy}});
  REQUIRE(verify(*listed(swap)).verdict == Verdict::pass);
  PlainSchedule chain{{.collective = Collective::broadcast, .ranks = 3, .blocks = 1}, {}};
  chain.steps.push_back({{0, 1, {0}, Op::copy}, {1, 2, {0}, Op::copy}});
  const Report report = verify(*listed(chain));
  REQUIRE(describe(counterexample_of(report, "well-formed")) ==
          std::vector<std::string>{"at step 0 rank 1 sends block 0 to rank 2 but holds none of it"});
}

TEST_CASE("counterexamples are the shortest there are") {
  // Rank 2's contribution reaches rank 0 directly twice, and rank 3's over rank 2 and directly.
  PlainSchedule plain{{.collective = Collective::reduce, .ranks = 4, .blocks = 1, .root = 0}, {}};
  plain.steps.push_back({{3, 2, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}});
  plain.steps.push_back({{2, 0, {0}, Op::reduce}});
  plain.steps.push_back({{3, 0, {0}, Op::reduce}});
  const Report report = verify(*listed(plain));
  REQUIRE(describe(counterexample_of(report, "exactly-once")) ==
          std::vector<std::string>{"rank 0 ends with rank 3's contribution to block 0 twice",
                                   "way 1: rank 3 -> 0 at step 2", "way 2: rank 3 -> 2 at step 0 -> 0 at step 1"});
}

TEST_CASE("a missing contribution says how far it came, or what replaced it") {
  PlainSchedule lost{{.collective = Collective::reduce, .ranks = 4, .blocks = 1, .root = 0}, {}};
  lost.steps.push_back({{3, 2, {0}, Op::reduce}});
  lost.steps.push_back({{1, 0, {0}, Op::reduce}});
  REQUIRE(describe(counterexample_of(verify(*listed(lost)), "exactly-once")) ==
          std::vector<std::string>{"rank 0 ends without rank 2's contribution to block 0", "it never leaves rank 2"});
  PlainSchedule replaced{{.collective = Collective::reduce, .ranks = 3, .blocks = 1, .root = 0}, {}};
  replaced.steps.push_back({{1, 0, {0}, Op::reduce}});
  replaced.steps.push_back({{2, 0, {0}, Op::copy}});
  REQUIRE(describe(counterexample_of(verify(*listed(replaced)), "exactly-once")) ==
          std::vector<std::string>{"rank 0 ends without rank 0's contribution to block 0",
                                   "it was there (rank 0's own, held from the start) until a copy from rank 2 replaced "
                                   "it at step 1"});
}

TEST_CASE("ranks and blocks out of range are a fault of the schedule, not a crash") {
  for (const PlainTransfer& bad : {PlainTransfer{7, 0, {0}, Op::reduce}, PlainTransfer{0, 7, {0}, Op::reduce},
                                   PlainTransfer{0, 1, {9}, Op::reduce}, PlainTransfer{-1, 0, {0}, Op::reduce},
                                   PlainTransfer{1, 1, {0}, Op::reduce}}) {
    PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 2, .blocks = 2}, {{bad}}};
    const Report report = verify(*listed(plain));
    REQUIRE(report.verdict == Verdict::fail);
    REQUIRE(verdict_of(report, "well-formed") == Verdict::fail);
    REQUIRE(verdict_of(report, "exactly-once") == Verdict::fail);
  }
}

TEST_CASE("of several faults on their face the first is told, with all of its place") {
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 3, .blocks = 4}, {}};
  plain.steps.push_back({{0, 1, {0}, Op::reduce}});
  plain.steps.push_back({{0, 1, {1}, Op::reduce}, {2, 2, {1, 3}, Op::reduce}, {0, 9, {2}, Op::reduce}});
  plain.steps.push_back({{0, 0, {0}, Op::reduce}});
  for (const int threads : {1, 2, 3}) {
    const Report report = verify(*listed(plain), {.threads = threads});
    const auto& c = counterexample_of(report, "well-formed");
    REQUIRE(c.kind() == Counterexample::SelfTransfer::kind);
    REQUIRE(c.rank == 2);
    REQUIRE(c.block == 1);
    REQUIRE(c.step == 1);
    REQUIRE(report.properties[0].violations == 3);
  }
  auto told = [&](const PlainTransfer& bad) {
    const PlainSchedule one{plain.header, {{bad}}};
    return counterexample_of(verify(*listed(one)), "well-formed");
  };
  REQUIRE(told({3, 0, {1}, Op::copy}).rank == 3);
  REQUIRE(told({0, 3, {1, 2}, Op::copy}).rank == 3);
  REQUIRE(told({0, 3, {1, 2}, Op::copy}).block == 1);
  REQUIRE(told({-1, 5, {1}, Op::copy}).rank == -1);
  REQUIRE(told({0, 1, {2, 4}, Op::copy}).block == 4);
}

TEST_CASE("two writes of one block in one step are both told") {
  const PlainSchedule plain{
      {.collective = Collective::broadcast, .ranks = 4, .blocks = 1},
      {{{0, 1, {0}, Op::copy}, {0, 2, {0}, Op::copy}}, {{1, 3, {0}, Op::copy}, {2, 3, {0}, Op::reduce}}}};
  const auto lines = describe(counterexample_of(verify(*listed(plain)), "well-formed"));
  CHECK(lines == std::vector<std::string>{"at step 1 two transfers write block 0 on rank 3, one of them a copy",
                                          "rank 2 -> 3", "rank 1 -> 3"});
}

TEST_CASE("asking for a bound requires that property, and no other") {
  auto required = [](const Bounds& bounds) {
    std::vector<std::string_view> ids;
    for (const PropertyResult& p : verify(*make("ring", Collective::allreduce, 4), {.bounds = bounds}).properties)
      if (p.required) ids.push_back(p.id);
    return ids;
  };
  using Ids = std::vector<std::string_view>;
  REQUIRE(required({}) == Ids{"well-formed", "exactly-once"});
  REQUIRE(required({.ports = 1}) == Ids{"well-formed", "exactly-once", "ports"});
  REQUIRE(required({.staging = 9}) == Ids{"well-formed", "exactly-once", "staging"});
}

TEST_CASE("any number of threads gives the same report") {
  PlainSchedule broken = plain(*make("ring", Collective::allreduce, 60));
  broken.steps[70].erase(broken.steps[70].begin() + 11);
  broken.steps[30].push_back(broken.steps[30][5]);
  for (const SchedulePtr& schedule : {make("swing", Collective::allreduce, 100), listed(broken)}) {
    const Report one = verify(*schedule, {.threads = 1});
    for (const int threads : {2, 3, 8}) {
      const Report many = verify(*schedule, {.threads = threads});
      REQUIRE(many.verdict == one.verdict);
      REQUIRE(many.metrics == one.metrics);
      for (std::size_t k = 0; k < one.properties.size(); ++k) {
        REQUIRE(many.properties[k].summary == one.properties[k].summary);
        REQUIRE(many.properties[k].violations == one.properties[k].violations);
        REQUIRE(many.properties[k].counterexample.has_value() == one.properties[k].counterexample.has_value());
        if (one.properties[k].counterexample)
          REQUIRE(describe(*many.properties[k].counterexample) == describe(*one.properties[k].counterexample));
      }
    }
  }
}

TEST_CASE("the metrics of many threads are those of one, however uneven the steps") {
  PlainSchedule uneven{{.collective = Collective::allreduce, .ranks = 9, .blocks = 40}, {}};
  for (int s = 0; s < 300; ++s) {
    auto& step = uneven.steps.emplace_back();
    for (Rank k = 0; k <= s % 7; ++k) {
      step.push_back({static_cast<Rank>(s % 9), static_cast<Rank>((s + k + 1) % 9), {0}, Op::reduce});
      step.push_back({static_cast<Rank>((s + k + 1) % 9), static_cast<Rank>(s % 9), {k, k + 3, k + 9}, Op::reduce});
      for (Rank b = 11; b < 11 + s % 23; b += 2) step.back().blocks.push_back(k + b);
    }
  }
  for (const int threads : {1, 2, 3, 8}) {
    Metrics metrics = verify(*listed(uneven), {.threads = threads}).metrics;
    metrics.term_depth = 0;
    REQUIRE(metrics == reference::measure(*listed(uneven)));
  }
}

TEST_CASE("what two threads saw of the transfers is added up, whichever saw what") {
  using Step = std::vector<PlainTransfer>;
  const Step faulty{{1, 2, {0}, Op::reduce}, {2, 0, {3}, Op::reduce}, {2, 2, {1}, Op::reduce}};
  const Step sound{{0, 1, {0, 1, 3}, Op::reduce}, {0, 2, {0}, Op::reduce}, {1, 2, {2}, Op::reduce}};
  for (const int fault_at : {0, 1}) {
    PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 3, .blocks = 4}, {sound, sound}};
    plain.steps[static_cast<std::size_t>(fault_at)] = faulty;
    const Survey seen = survey(InTurn(listed(plain)), 2);
    REQUIRE(seen.faults == 1);
    REQUIRE(seen.first_fault.has_value());
    REQUIRE(seen.first_fault->kind() == Counterexample::SelfTransfer::kind);
    REQUIRE(seen.first_fault->step == fault_at);
    REQUIRE(seen.metrics.messages == 5);
    REQUIRE(seen.metrics.blocks_sent_min == 1);
    REQUIRE(seen.metrics.blocks_sent_max == 4);
    REQUIRE(seen.metrics == survey(*listed(plain), 1).metrics);
  }
}

TEST_CASE("no schedule does with fewer steps, nor all ranks with fewer blocks, than these") {
  auto bounds = [](Collective collective) {
    return lower_bounds({.collective = collective, .ranks = 8, .blocks = 16});
  };
  for (const Collective once :
       {Collective::reduce_scatter, Collective::allgather, Collective::broadcast, Collective::reduce}) {
    CAPTURE(name(once));
    CHECK(bounds(once).steps == 3);
    CHECK(bounds(once).blocks == 14);
  }
  CHECK(bounds(Collective::allreduce).steps == 3);
  CHECK(bounds(Collective::allreduce).blocks == 28);
  CHECK(bounds(Collective::alltoall).steps == 3);
  CHECK_FALSE(bounds(Collective::alltoall).blocks);
}

TEST_CASE("transfers by step that are not those by block are an error, never a pass") {
  PlainSchedule by_block{{.collective = Collective::broadcast, .ranks = 3, .blocks = 1}, {}};
  by_block.steps.push_back({{0, 1, {0}, Op::copy}});
  by_block.steps.push_back({{1, 2, {0}, Op::copy}});
  PlainSchedule by_step = by_block;
  by_step.steps[1].push_back({0, 1, {0}, Op::copy});
  REQUIRE(verify(TwoViews(listed(by_block), listed(by_block))).verdict == Verdict::pass);
  REQUIRE_THROWS_AS(verify(TwoViews(listed(by_step), listed(by_block))), std::logic_error);
}

TEST_CASE("more work than the budget is unknown, never a pass") {
  const Report report = verify(*make("swing", Collective::allreduce, 64), {.budget = 8064 + 64 * 64 - 1});
  REQUIRE(report.verdict == Verdict::unknown);
  REQUIRE(verdict_of(report, "exactly-once") == Verdict::unknown);
  REQUIRE(report.metrics.steps == 12);
  REQUIRE(report.metrics.messages == 0);  // nothing but the steps is counted
  REQUIRE(report.metrics.blocks_sent_min == 0);
  REQUIRE(report.metrics.blocks_sent_max == 0);
  REQUIRE(verify(*make("swing", Collective::allreduce, 64), {.budget = 8064 + 64 * 64}).verdict == Verdict::pass);
}

TEST_CASE("hard cases end soon: many wrong ranks, deep shared terms, blocks with very many hops") {
  // Nobody sends anything to 100,000 ranks.
  PlainSchedule idle{{.collective = Collective::allreduce, .ranks = 100'000, .blocks = 1}, {}};
  REQUIRE(verify(*listed(idle)).verdict == Verdict::fail);
  // A chain of 50,000 additions of the same contribution, then every rank adds to its end.
  PlainSchedule chain{{.collective = Collective::allreduce, .ranks = 20'000, .blocks = 1}, {}};
  for (int s = 0; s < 50'000; ++s) chain.steps.push_back({{1, 0, {0}, Op::reduce}});
  auto& fan = chain.steps.emplace_back();
  for (Rank r = 1; r < 20'000; ++r) fan.push_back({0, r, {0}, Op::reduce});
  REQUIRE(verify(*listed(chain)).verdict == Verdict::fail);
  // 2000 transfers of the same 1000 blocks: a window by the average would be far too large.
  ListedSchedule::Builder hot;
  const std::vector<Run> first_blocks{{0, 999}};
  hot.begin_step();
  for (int k = 0; k < 2000; ++k) hot.add(0, 1, first_blocks, Op::reduce);
  const ListedSchedule schedule({.collective = Collective::reduce, .ranks = 2, .blocks = 1'000'000, .root = 1},
                                std::move(hot));
  REQUIRE(counterexample_of(verify(schedule), "exactly-once").facts().times == 2000);
}

TEST_CASE("judging that takes more than the budget is unknown, never a pass") {
  const SchedulePtr schedule = make("swing-latency", Collective::allreduce, 1024);
  REQUIRE(verify(*schedule, {.budget = 100'000}).verdict == Verdict::unknown);
  REQUIRE(verify(*schedule, {.budget = 2'000'000}).verdict == Verdict::pass);

  // Many copies of it, of which the budget allows some.
  PlainSchedule copies = plain(*schedule);
  copies.header.blocks = 50;
  for (auto& step : copies.steps)
    for (auto& t : step)
      for (Block b = 1; b < copies.header.blocks; ++b) t.blocks.push_back(b);
  const Report exhausted = verify(*listed(copies), {.threads = 1, .budget = 5'000'000});
  REQUIRE(exhausted.verdict == Verdict::unknown);
  REQUIRE(exhausted.scope == "nothing");
  REQUIRE(verdict_of(exhausted, "exactly-once") == Verdict::unknown);

  // The first one broken: what was found is a fail, what was left out is not passed.
  copies.steps[0][0].blocks.erase(copies.steps[0][0].blocks.begin());
  const Report cut_short = verify(*listed(copies), {.threads = 1, .budget = 5'000'000});
  REQUIRE(cut_short.verdict == Verdict::fail);
  REQUIRE(cut_short.scope == "the blocks that the budget allowed");
  REQUIRE(verdict_of(cut_short, "well-formed") == Verdict::unknown);

  // The first one without a defined result, and no other wrong.
  const Rank src = copies.steps[0][0].src;
  const Rank dst = copies.steps[0][0].dst;
  for (const Op op : {Op::reduce, Op::copy}) copies.steps[0].push_back({src, dst, {0}, op});
  const Report undefined = verify(*listed(copies), {.threads = 1, .budget = 5'000'000});
  REQUIRE(undefined.verdict == Verdict::fail);
  REQUIRE(undefined.scope == "the blocks that the budget allowed");
  REQUIRE(undefined.properties[0].violations == 1);
}

TEST_CASE("a contribution that is doubled forty times is counted, not overflowed") {
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 2, .blocks = 1}, {}};
  for (int s = 0; s < 80; ++s) plain.steps.push_back({{0, 1, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}});
  const Report report = verify(*listed(plain));
  REQUIRE(report.verdict == Verdict::fail);
  REQUIRE(counterexample_of(report, "exactly-once").facts().times == Counterexample::many);
  REQUIRE(counterexample_of(report, "exactly-once").facts().paths.size() == Counterexample::shown_paths);
}

}  // namespace verify_test
