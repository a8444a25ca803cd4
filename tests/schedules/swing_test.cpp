#include <catch2/catch.hpp>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace swing_test {

using namespace onceover::support;

namespace {

int ceil_log2(Rank p) {
  int log = 0;
  while ((1 << log) < p) ++log;
  return log;
}

/// rho by its closed form (Swing paper, section 3.1.1), where the catalogue uses the sum.
long rho(int s) {
  const long power = (s % 2 == 0 ? -1L : 1L) << (s + 1);
  return (1 - power) / 3;
}

Rank peer(Rank r, int s, Rank p) {
  const long q = r % 2 == 0 ? r + rho(s) : r - rho(s);
  return static_cast<Rank>(((q % p) + p) % p);
}

std::set<Rank> reach(Rank r, int s, Rank p) {
  std::set<Rank> reached;
  for (int t = s; t < ceil_log2(p); ++t) {
    const Rank q = peer(r, t, p);
    reached.insert(q);
    reached.merge(reach(q, t + 1, p));
  }
  return reached;
}

/// What r sends at step s, read off the rule: {q} u reach(q, s+1), less all that r sends later, less its own block.
std::set<Block> sent(Rank r, int s, Rank p) {
  const Rank q = peer(r, s, p);
  std::set<Block> blocks = reach(q, s + 1, p);
  blocks.insert(q);
  for (const Rank later : reach(r, s + 1, p)) blocks.erase(later);
  blocks.erase(r);
  return blocks;
}

}  // namespace

TEST_CASE("swing for even p sends what the rule of the reduce-scatter says, to the peers of equation 2") {
  for (const Rank p : {2, 4, 6, 8, 10, 12, 14, 16, 18, 22, 30, 32, 34}) {
    const PlainSchedule swing = plain(*find_algorithm("swing")->make(on_line(Collective::reduce_scatter, p)));
    REQUIRE(static_cast<int>(swing.steps.size()) == ceil_log2(p));
    for (int s = 0; s < ceil_log2(p); ++s) {
      std::size_t senders = 0;
      for (const auto& t : swing.steps[static_cast<std::size_t>(s)]) {
        CAPTURE(p, s, t.src);
        REQUIRE(t.dst == peer(t.src, s, p));
        REQUIRE(std::set<Block>(t.blocks.begin(), t.blocks.end()) == sent(t.src, s, p));
        ++senders;
      }
      Rank expected_senders = 0;
      for (Rank r = 0; r < p; ++r) expected_senders += sent(r, s, p).empty() ? 0 : 1;
      REQUIRE(senders == static_cast<std::size_t>(expected_senders));
    }
  }
}

TEST_CASE("swing halves its messages for powers of two (Swing paper, section 3.1.1)") {
  for (int a = 1; a <= 7; ++a) {
    const Rank p = 1 << a;
    const PlainSchedule swing = plain(*find_algorithm("swing")->make(on_line(Collective::reduce_scatter, p)));
    for (int s = 0; s < a; ++s)
      for (const auto& t : swing.steps[static_cast<std::size_t>(s)])
        REQUIRE(t.blocks.size() == static_cast<std::size_t>(p >> (s + 1)));
  }
}

TEST_CASE("swing has 2 ceil(log2 p) steps for even p, and every rank sends 2(p-1) blocks") {
  for (Rank p = 2; p <= 130; ++p) {
    const Metrics m = verify(*find_algorithm("swing")->make(on_line(Collective::allreduce, p))).metrics;
    REQUIRE(m.steps == 2 * ceil_log2(p % 2 == 0 ? p : p - 1));
    REQUIRE(m.blocks_sent_min == static_cast<std::uint64_t>(2 * (p - 1)));
    REQUIRE(m.blocks_sent_max == static_cast<std::uint64_t>(2 * (p - 1)));
  }
}

TEST_CASE("swing with 7 ranks: the last rank exchanges with 3, 2 and 1 ranks (Swing paper, figure 4)") {
  const PlainSchedule swing = plain(*find_algorithm("swing")->make(on_line(Collective::reduce_scatter, 7)));
  const std::vector<std::vector<Rank>> expected{{0, 1, 2}, {3, 4}, {5}};
  for (std::size_t s = 0; s < 3; ++s) {
    std::vector<Rank> to;
    std::vector<Rank> from;
    for (const auto& t : swing.steps[s]) {
      if (t.src == 6) to.push_back(t.dst);
      if (t.dst == 6) from.push_back(t.src);
      if (t.src == 6) REQUIRE(t.blocks == std::vector<Block>{t.dst});
      if (t.dst == 6) REQUIRE(t.blocks == std::vector<Block>{6});
    }
    REQUIRE(to == expected[s]);
    REQUIRE(from == expected[s]);
  }
}

TEST_CASE("keeping the first of repeated sends, as the text may be read, fails at p = 6 and not before") {
  for (const Rank p : {2, 4, 6}) {
    PlainSchedule wrong{{.collective = Collective::reduce_scatter, .ranks = p, .blocks = p}, {}};
    std::vector<std::set<Block>> already(static_cast<std::size_t>(p));
    for (int s = 0; s < ceil_log2(p); ++s) {
      auto& step = wrong.steps.emplace_back();
      for (Rank r = 0; r < p; ++r) {
        const Rank q = peer(r, s, p);
        std::set<Block> blocks = reach(q, s + 1, p);
        blocks.insert(q);
        blocks.erase(r);
        for (const Block b : already[static_cast<std::size_t>(r)]) blocks.erase(b);
        already[static_cast<std::size_t>(r)].insert(blocks.begin(), blocks.end());
        if (!blocks.empty()) step.push_back({r, q, {blocks.begin(), blocks.end()}, Op::reduce});
      }
    }
    const SchedulePtr schedule = listed(wrong);
    REQUIRE(disagreement(*schedule) == "");
    REQUIRE(verify(*schedule).verdict == (p == 6 ? Verdict::fail : Verdict::pass));
  }
}

TEST_CASE("swing-latency: log2 p steps of one block, right for powers of two and wrong at p = 6") {
  for (int a = 0; a <= 8; ++a) {
    const Rank p = 1 << a;
    const Metrics m = verify(*find_algorithm("swing-latency")->make(on_line(Collective::allreduce, p))).metrics;
    REQUIRE(m.steps == a);
    REQUIRE(m.blocks_sent_max == static_cast<std::uint64_t>(a));
    REQUIRE(static_cast<int>(m.term_depth) == a);
  }
  PlainSchedule six{{.collective = Collective::allreduce, .ranks = 6, .blocks = 1}, {}};
  for (int s = 0; s < 3; ++s) {
    auto& step = six.steps.emplace_back();
    for (Rank r = 0; r < 6; ++r) step.push_back({r, peer(r, s, 6), {0}, Op::reduce});
  }
  const SchedulePtr schedule = listed(six);
  REQUIRE(disagreement(*schedule) == "");
  const Report report = verify(*schedule);
  REQUIRE(report.verdict == Verdict::fail);
  REQUIRE(counterexample_of(report, "exactly-once").kind() == Counterexample::Duplicate::kind);
  REQUIRE(counterexample_of(report, "exactly-once").facts().times == 2);
}

}  // namespace swing_test
