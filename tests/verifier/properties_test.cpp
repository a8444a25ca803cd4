// The properties beyond exactly-once: against the literature, and against an engine that writes every value out.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "tracing_engine.h"
#include "verifier/replay.h"

namespace properties_test {

using namespace onceover::support;

namespace {

Report full_report(const Schedule& schedule, Bounds bounds = {}) {
  return verify(schedule, {.threads = 1, .bounds = bounds, .unrequired_up_to = UINT64_MAX});
}

const PropertyResult& result_of(const Report& report, std::string_view id) {
  for (const PropertyResult& p : report.properties)
    if (p.id == id) return p;
  throw std::logic_error("no such property");
}

SchedulePtr make(std::string_view name, const Request& request) {
  const Algorithm& row = *find_algorithm(name);
  REQUIRE_FALSE(refusal(row, request));
  return row.make(request);
}

Verdict verdict(const char* id, const char* name, Rank p,
                std::map<std::string, std::string, std::less<>> settings = {}) {
  CAPTURE(id, name, p);
  return result_of(full_report(*make(name, {Collective::allreduce, {p}, false, std::move(settings)})), id).verdict;
}

/// What the two engines disagree on, or "".
std::string disagreement_on_properties(const Schedule& schedule) {
  const Report report = full_report(schedule);
  if (verdict_of(report, "well-formed") != Verdict::pass) return "";
  const reference::Traces traces = reference::trace(schedule);
  const PropertyResult& order = result_of(report, "order-preserving");
  if ((order.verdict == Verdict::pass) != reference::is_order_preserving(traces)) return "order-preserving";
  // Where a rank lacks a result the two count differently, and exactly-once fails anyway.
  if (verdict_of(report, "exactly-once") == Verdict::pass) {
    const std::size_t sums = reference::most_different_sums(traces, schedule.header().blocks);
    const PropertyResult& same = result_of(report, "bitwise-reproducible");
    if ((same.verdict == Verdict::pass) != (sums <= 1)) return "bitwise-reproducible";
    if (same.verdict == Verdict::fail && same.summary.find("up to " + std::to_string(sums) + " ") != 0)
      return "number of sums";
  }
  const auto redundant = static_cast<std::uint64_t>(reference::redundant_transfers(traces));
  if (result_of(report, "no-redundant-transfer").violations != redundant) return "no-redundant-transfer";
  if ((verdict_of(report, "emptied-buffers") == Verdict::fail) != reference::reuses_full_buffers(schedule))
    return "emptied-buffers";
  const Report enough = full_report(schedule, {.staging = traces.staged});
  if (result_of(enough, "staging").verdict != Verdict::pass) return "staging, bound too high";
  if (traces.staged == 0) return "";
  const Report less = full_report(schedule, {.staging = traces.staged - 1});
  return result_of(less, "staging").verdict == Verdict::fail ? "" : "staging, bound too low";
}

std::string describe_steps(const PlainSchedule& plain) {
  std::string text(name(plain.header.collective));
  for (std::size_t s = 0; s < plain.steps.size(); ++s)
    for (const PlainTransfer& t : plain.steps[s])
      text +=
          fmt::format(" [{}: {}->{} {} {}]", s, t.src, t.dst, t.blocks.front(), t.op == Op::copy ? "copy" : "reduce");
  return text;
}

bool is_power(Rank p) {
  return (p & (p - 1)) == 0;
}

}  // namespace

TEST_CASE("both engines agree on the properties of every algorithm to 32 ranks") {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (const Rank p : {2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 17}) {
        const Request request = on_line(collective, p);
        if (refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        REQUIRE(disagreement_on_properties(*row.make(request)) == "");
      }
}

TEST_CASE("both engines agree on the properties of every algorithm for all p to 32", "[long]") {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = 1; p <= 32; ++p) {
        const Request request = on_line(collective, p);
        if (refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        REQUIRE(disagreement_on_properties(*row.make(request)) == "");
      }
}

TEST_CASE("both engines agree on the properties of random schedules") {
  std::mt19937 random(3);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int judged = 0;
  int preserved = 0;
  for (int k = 0; k < 20000; ++k) {
    PlainSchedule plain;
    plain.header.collective = contracts[random() % contracts.size()].collective;
    plain.header.ranks = 2 + below(3);
    plain.header.blocks = 1 + below(2);
    plain.header.root = is_rooted(plain.header.collective) ? below(plain.header.ranks) : 0;
    for (int s = 1 + below(4); s > 0; --s) {
      auto& step = plain.steps.emplace_back();
      for (int t = 1 + below(2); t > 0; --t) {
        PlainTransfer transfer{below(plain.header.ranks),
                               below(plain.header.ranks),
                               {below(plain.header.blocks)},
                               below(2) == 0 ? Op::copy : Op::reduce};
        if (transfer.src != transfer.dst) step.push_back(transfer);
      }
    }
    const SchedulePtr schedule = listed(plain);
    const Report report = full_report(*schedule);
    if (verdict_of(report, "well-formed") != Verdict::pass) continue;
    ++judged;
    preserved += result_of(report, "order-preserving").verdict == Verdict::pass ? 1 : 0;
    CAPTURE(k, describe_steps(plain));
    REQUIRE(disagreement_on_properties(*schedule) == "");
  }
  REQUIRE(judged > 3000);
  REQUIRE(preserved > 500);
  REQUIRE(judged - preserved > 200);
}

TEST_CASE("swing: order-preserving for p = 2 and 4 only, reproducible for all (Swing paper, section 3.1.1, refuted)") {
  for (Rank p = 2; p <= 40; ++p) {
    const bool is_safe = p == 2 || p == 4;
    REQUIRE(verdict("order-preserving", "swing", p) == (is_safe ? Verdict::pass : Verdict::fail));
    REQUIRE(verdict("bitwise-reproducible", "swing", p) == Verdict::pass);
  }
}

TEST_CASE("swing-latency: p/4 different sums from p = 8 on") {
  for (const Rank p : {2, 4}) {
    REQUIRE(verdict("order-preserving", "swing-latency", p) == Verdict::pass);
    REQUIRE(verdict("bitwise-reproducible", "swing-latency", p) == Verdict::pass);
  }
  for (const Rank p : {8, 16, 32, 64, 128}) {
    REQUIRE(verdict("order-preserving", "swing-latency", p) == Verdict::fail);
    const Report report = full_report(*make("swing-latency", on_line(Collective::allreduce, p)));
    const PropertyResult& same = result_of(report, "bitwise-reproducible");
    REQUIRE(same.verdict == Verdict::fail);
    REQUIRE(same.counterexample->facts().times == static_cast<std::uint64_t>(p / 4));
  }
}

TEST_CASE("recursive doubling and near-first rabenseifner keep the order and the bits for powers of two") {
  for (const Rank p : {2, 4, 8, 16, 32, 64})
    for (const char* id : {"order-preserving", "bitwise-reproducible"}) {
      REQUIRE(verdict(id, "recursive-doubling", p) == Verdict::pass);
      REQUIRE(verdict(id, "rabenseifner", p, {{"order", "near"}}) == Verdict::pass);
    }
}

TEST_CASE(
    "far-first rabenseifner and the class report's lose the order from p = 4 on, ring and folding from p = 3 on") {
  for (Rank p = 2; p <= 33; ++p) {
    const Verdict from_3 = p >= 3 ? Verdict::fail : Verdict::pass;
    REQUIRE(verdict("order-preserving", "ring", p) == from_3);
    REQUIRE(verdict("order-preserving", "generalized", p) == from_3);
    for (const char* name : {"ring", "generalized"}) REQUIRE(verdict("bitwise-reproducible", name, p) == Verdict::pass);
    if (!is_power(p)) continue;
    const Verdict from_4 = p >= 4 ? Verdict::fail : Verdict::pass;
    REQUIRE(verdict("order-preserving", "rabenseifner", p, {{"order", "far"}}) == from_4);
    REQUIRE(verdict("order-preserving", "recursive-halving-doubling", p) == from_4);
    REQUIRE(verdict("bitwise-reproducible", "rabenseifner", p, {{"order", "far"}}) == Verdict::pass);
    REQUIRE(verdict("bitwise-reproducible", "recursive-halving-doubling", p) == Verdict::pass);
  }
}

namespace {

void require_stages(Rank most) {
  for (Rank p = 2; p <= most; ++p) {
    int levels = 0;
    while ((1 << levels) < p) ++levels;
    for (int a = 0; a <= levels; ++a) {
      const std::string aggregation = std::to_string(1 << a);
      const std::int64_t bound = std::max<std::int64_t>((std::int64_t{1} << a) * (levels - a) - 1, 0);
      for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
        const SchedulePtr schedule = make("pat", {collective, {p}, false, {{"aggregation", aggregation}}});
        const Bounds bounds{.staging = static_cast<std::uint64_t>(a == levels ? p : bound)};
        const Report report = verify(*schedule, {.threads = 1, .bounds = bounds});
        CAPTURE(p, aggregation, name(collective), result_of(report, "staging").summary);
        REQUIRE(report.verdict == Verdict::pass);
      }
    }
  }
}

}  // namespace

TEST_CASE("pat stages at most A (L - log2 A) - 1 blocks, for every aggregation (PAT paper, section 3), to 70 ranks") {
  require_stages(70);
}

TEST_CASE("pat stages at most A (L - log2 A) - 1 blocks, for every aggregation (PAT paper, section 3)", "[long]") {
  require_stages(256);
}

TEST_CASE("pat empties its buffers before it uses them again, and a ring doesn't (PAT paper, section 3)") {
  for (Rank p = 2; p <= 64; ++p)
    for (const Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
      CAPTURE(p, name(collective));
      for (int a = 1; a < p; a *= 2) {
        const SchedulePtr pat = make("pat", {collective, {p}, false, {{"aggregation", std::to_string(a)}}});
        REQUIRE(verdict_of(full_report(*pat), "emptied-buffers") == Verdict::pass);
      }
      const Report ring = full_report(*make("ring", {collective, {p}}));
      REQUIRE(verdict_of(ring, "emptied-buffers") == (p < 4 ? Verdict::pass : Verdict::fail));
    }
}

TEST_CASE("what waits in a buffer that is used again is told, of what is gathered and of sums") {
  const auto told = [](Collective collective) {
    return describe(*result_of(full_report(*make("ring", {collective, {5}})), "emptied-buffers").counterexample);
  };
  REQUIRE(told(Collective::allgather) ==
          std::vector<std::string>{"at step 1 rank 0 gets more to pass on from rank 1, while the last of what came "
                                   "before leaves at step 1"});
  REQUIRE(told(Collective::reduce_scatter) ==
          std::vector<std::string>{"at step 1 rank 0 begins to add up more for rank 1, while what it added up before "
                                   "leaves at step 1"});
  // Between the two messages what came has left: it passes. With the second one a step earlier it doesn't.
  PlainSchedule scatter{{.collective = Collective::scatter, .ranks = 3, .blocks = 4, .owners = {0, 1, 2, 2}, .root = 0},
                        {}};
  scatter.steps = {
      {{0, 1, {1, 2}, Op::copy}}, {{1, 2, {2}, Op::copy}}, {{0, 1, {3}, Op::copy}}, {{1, 2, {3}, Op::copy}}};
  REQUIRE(verdict_of(full_report(*listed(scatter)), "emptied-buffers") == Verdict::pass);
  scatter.steps[1].push_back(scatter.steps[2][0]);
  scatter.steps.erase(scatter.steps.begin() + 2);
  REQUIRE(result_of(full_report(*listed(scatter)), "emptied-buffers").violations == 1);
}

TEST_CASE("every message of power-of-two swing is one run under one renumbering (Swing paper, section 3.1.1)") {
  for (const Rank p : {8, 16, 32, 64, 128, 256}) {
    const Report report = full_report(*make("swing", on_line(Collective::allreduce, p)));
    const PropertyResult& contiguous = result_of(report, "contiguous");
    REQUIRE(contiguous.verdict == Verdict::pass);
    REQUIRE(contiguous.layout()->blocks.size() == static_cast<std::size_t>(p));
  }
}

TEST_CASE("another order is looked for up to 8192 blocks, and 2^26 blocks times messages") {
  auto judged = [](Block blocks, int messages) {
    PlainSchedule schedule{{.collective = Collective::broadcast, .ranks = 2, .blocks = blocks}, {{}}};
    for (Block k = 0; k < messages; ++k) {
      const Block gap = 2 + k / (blocks - 8);
      schedule.steps[0].push_back({0, 1, {k % (blocks - 8), k % (blocks - 8) + gap}, Op::copy});
    }
    return contiguous_property.of_schedule(*listed(schedule), {}).verdict;
  };
  CHECK(judged(8192, 1) == Verdict::pass);
  CHECK(judged(8193, 1) == Verdict::unknown);
  CHECK(judged(8192, 8192) == Verdict::fail);
  CHECK(judged(8192, 8193) == Verdict::unknown);
}

TEST_CASE("figure 3 of the swing paper sends what nobody uses, at powers of two") {
  const SchedulePtr schedule = make("swing-figure-3", on_line(Collective::reduce_scatter, 4));
  const PropertyResult redundant = result_of(full_report(*schedule), "no-redundant-transfer");
  REQUIRE(redundant.verdict == Verdict::fail);
  REQUIRE(redundant.violations == 4);
}

TEST_CASE("no algorithm of the catalogue sends anything in vain, but where the paper's counts say so") {
  for (const Algorithm& row : catalogue())
    for (const Collective collective : row.collectives)
      for (Rank p = 2; p <= 33; ++p) {
        const Request request = on_line(collective, p);
        if (row.as_printed || refusal(row, request)) continue;
        CAPTURE(row.name, name(collective), p);
        REQUIRE(result_of(full_report(*row.make(request)), "no-redundant-transfer").verdict == Verdict::pass);
      }
}

TEST_CASE("ports are counted where a rank talks to many at once") {
  const SchedulePtr odd = make("swing", on_line(Collective::allreduce, 7));
  REQUIRE(full_report(*odd, {.ports = 3}).verdict == Verdict::pass);
  const Report two = full_report(*odd, {.ports = 2});
  REQUIRE(two.verdict == Verdict::fail);
  const Counterexample& busy = *result_of(two, "ports").counterexample;
  REQUIRE(busy.rank == 6);
  REQUIRE(busy.step == 0);
  REQUIRE(busy.facts().times == 3);
  const Report torus = full_report(*make("swing", {Collective::allreduce, {4, 4}, true}), {.ports = 4});
  REQUIRE(torus.verdict == Verdict::pass);
}

TEST_CASE("ranks and steps above a bound are counted, and the first of the busiest is told") {
  PlainSchedule star{{.collective = Collective::reduce, .ranks = 4, .blocks = 2, .root = 0}, {}};
  for (const Block b : {0, 1})
    star.steps.push_back({{1, 0, {b}, Op::reduce}, {2, 0, {b}, Op::reduce}, {3, 0, {b}, Op::reduce}});
  const PropertyResult ports = result_of(full_report(*listed(star), {.ports = 2}), "ports");
  REQUIRE(ports.violations == 2);
  REQUIRE(describe(*ports.counterexample) ==
          std::vector<std::string>{"at step 0 rank 0 receives 3 messages; the limit is 2"});
  REQUIRE(result_of(full_report(*listed(star), {.ports = 0}), "ports").violations == 8);

  PlainSchedule gather{{.collective = Collective::gather, .ranks = 4, .blocks = 4, .root = 0}, {}};
  gather.steps.push_back({{2, 1, {2}, Op::copy}, {3, 1, {3}, Op::copy}});
  gather.steps.push_back({{1, 0, {1, 2}, Op::copy}});
  gather.steps.push_back({{1, 0, {3}, Op::copy}});
  REQUIRE(result_of(full_report(*listed(gather), {.staging = 0}), "staging").violations == 2);
  const PropertyResult staging = result_of(full_report(*listed(gather), {.staging = 1}), "staging");
  REQUIRE(staging.violations == 1);
  REQUIRE(describe(*staging.counterexample) ==
          std::vector<std::string>{"after step 0 rank 1 holds 2 blocks for others; the limit is 1"});
  REQUIRE(full_report(*listed(gather), {.staging = 2}).verdict == Verdict::pass);
}

TEST_CASE("summaries say what ranks and steps are called") {
  PlainSchedule gather{{.collective = Collective::gather, .ranks = 4, .blocks = 4, .root = 0}, {}};
  gather.header.names = {{{"node", 2}, {"gpu", 2}}, {{"across", 0}, {"within", 1}}};
  gather.steps.push_back({{2, 1, {2}, Op::copy}, {3, 1, {3}, Op::copy}});
  gather.steps.push_back({{1, 0, {1, 2, 3}, Op::copy}});
  const Report report = full_report(*listed(gather));
  CHECK(result_of(report, "ports").summary ==
        "sends at once: at most 1 (rank 2 (node 1, gpu 0), step 0 (across)); receives: at most 2 (rank 1 (node 0, gpu "
        "1), step 0 (across)); no limit given, see --ports");
  CHECK(result_of(report, "staging").summary ==
        "blocks held for others: at most 2 (rank 1 (node 0, gpu 1), after step 0 (across)); no limit given, see "
        "--staging");
}

TEST_CASE("what two checks found of a property in half of the blocks each is what one finds in all") {
  // Blocks 1 and 5 end as three different sums, 2 and 4 as two; of 0 and 3 some are sent in vain.
  PlainSchedule mixed{{.collective = Collective::allreduce, .ranks = 3, .blocks = 6}, {}};
  mixed.steps.push_back({{2, 1, {0, 3}, Op::reduce},
                         {0, 2, {3}, Op::copy},
                         {0, 1, {1, 5}, Op::reduce},
                         {2, 1, {1, 2, 4, 5}, Op::reduce},
                         {0, 1, {2, 4}, Op::reduce},
                         {2, 0, {1, 2, 4, 5}, Op::reduce},
                         {1, 0, {1, 2, 4, 5}, Op::reduce},
                         {1, 2, {1, 2, 4, 5}, Op::reduce},
                         {0, 2, {1, 2, 4, 5}, Op::reduce}});
  mixed.steps.push_back({{1, 0, {0, 3}, Op::reduce}});
  mixed.steps.push_back({{0, 1, {0, 3}, Op::copy}, {0, 2, {0, 3}, Op::copy}});
  mixed.steps.push_back({{0, 1, {0, 3}, Op::copy}, {0, 2, {3}, Op::copy}});
  // Blocks 5 and 3 wait on rank 1 when more comes from rank 0.
  PlainSchedule waiting{
      {.collective = Collective::scatter, .ranks = 3, .blocks = 6, .owners = {0, 1, 2, 2, 2, 2}, .root = 0}, {}};
  waiting.steps = {{{0, 1, {1, 2, 5}, Op::copy}},
                   {{0, 1, {3}, Op::copy}, {1, 2, {2}, Op::copy}},
                   {{0, 1, {4}, Op::copy}, {1, 2, {3, 5}, Op::copy}},
                   {{1, 2, {4}, Op::copy}}};
  const Bounds bounds{.staging = 1};
  for (const Property& p : schedule_properties()) {
    if (p.by_block == nullptr) continue;
    CAPTURE(p.id);
    const SchedulePtr schedule = listed(p.id == "emptied-buffers" ? waiting : mixed);
    REQUIRE(verify(*schedule).verdict == Verdict::pass);
    Replay replay(schedule->header());
    auto finding = [&](const std::vector<Block>& mine, const std::vector<Block>& theirs) {
      const auto check = p.by_block(schedule->header(), bounds, schedule->steps());
      const auto other = p.by_block(schedule->header(), bounds, schedule->steps());
      auto judge = [&](BlockCheck& by, const std::vector<Block>& blocks) {
        for (const Block block : blocks)
          schedule->traces({block, block + 1}, [&](Block b, const Trace& trace) {
            replay.run(b, trace);
            by.judge(replay);
          });
      };
      judge(*check, mine);
      judge(*other, theirs);
      check->merge(*other);
      return check->finding();
    };
    const Finding whole = finding({0, 1, 2, 3, 4, 5}, {});
    REQUIRE(whole.verdict == Verdict::fail);
    for (const Finding& merged : {finding({1, 3, 5}, {0, 2, 4}), finding({0, 2, 4}, {1, 3, 5})}) {
      CHECK(merged.verdict == Verdict::fail);
      CHECK(merged.summary == whole.summary);
      CHECK(merged.violations == whole.violations);
      CHECK((merged.peak() != nullptr) == (whole.peak() != nullptr));
      if (merged.peak() != nullptr && whole.peak() != nullptr) CHECK(merged.peak()->number == whole.peak()->number);
      CHECK(describe(merged.counterexample.value()) == describe(whole.counterexample.value()));
    }
  }
}

TEST_CASE("properties give the same findings whatever the number of threads") {
  for (const char* name : {"swing", "swing-latency", "ring"}) {
    const SchedulePtr schedule = make(name, on_line(Collective::allreduce, 64));
    const Report one = verify(*schedule, {.threads = 1, .unrequired_up_to = UINT64_MAX});
    const Report four = verify(*schedule, {.threads = 4, .unrequired_up_to = UINT64_MAX});
    for (std::size_t k = 0; k < one.properties.size(); ++k) {
      REQUIRE(one.properties[k].verdict == four.properties[k].verdict);
      REQUIRE(one.properties[k].summary == four.properties[k].summary);
      REQUIRE(one.properties[k].counterexample.has_value() == four.properties[k].counterexample.has_value());
      if (one.properties[k].counterexample)
        REQUIRE(describe(*one.properties[k].counterexample) == describe(*four.properties[k].counterexample));
    }
  }
}

TEST_CASE("what is not required is left unjudged where it would cost much, and never counts") {
  const SchedulePtr schedule = make("swing-latency", on_line(Collective::allreduce, 64));
  const Report report = verify(*schedule, {.unrequired_up_to = 10});
  REQUIRE(report.verdict == Verdict::pass);
  REQUIRE(result_of(report, "order-preserving").verdict == Verdict::unknown);
  REQUIRE(result_of(report, "bitwise-reproducible").verdict == Verdict::fail);
  const Report asked = verify(*schedule, {.required = {"order-preserving"}, .unrequired_up_to = 10});
  REQUIRE(asked.verdict == Verdict::fail);
}

}  // namespace properties_test
