// Which of all that is wrong with a schedule is shown, and that it is so.

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "agreement.h"
#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"

namespace explain_test {

using namespace onceover::support;

namespace {

std::vector<std::string> sentences(const PlainSchedule& plain) {
  const SchedulePtr schedule = listed(plain);
  const Report report = verify(*schedule);
  const Counterexample& c = counterexample_of(report, "exactly-once");
  CHECK(falsehood(*schedule, c) == "");
  return describe(c);
}

/// One block, which many copies move about.
PlainSchedule random_moves(std::mt19937& random) {
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PlainSchedule plain;
  plain.header.collective = random() % 2 == 0 ? Collective::allreduce : Collective::reduce_scatter;
  plain.header.ranks = 2 + below(5);
  plain.header.blocks = 1;
  for (int s = 1 + below(5); s > 0; --s) {
    auto& step = plain.steps.emplace_back();
    for (int t = 1 + below(4); t > 0; --t) {
      const PlainTransfer transfer{
          below(plain.header.ranks), below(plain.header.ranks), {0}, below(2) == 0 ? Op::copy : Op::reduce};
      const bool is_alone = std::none_of(step.begin(), step.end(), [&](const PlainTransfer& other) {
        return other.dst == transfer.dst && (other.op == Op::copy || transfer.op == Op::copy);
      });
      if (transfer.src != transfer.dst && is_alone) step.push_back(transfer);
    }
  }
  return plain;
}

/// By the reference: whose contributions each rank holds after each number of steps.
std::vector<std::vector<std::set<Rank>>> held(const PlainSchedule& plain) {
  std::vector<std::vector<std::set<Rank>>> after;
  for (std::size_t s = 0; s <= plain.steps.size(); ++s) {
    PlainSchedule begun = plain;
    begun.steps.resize(s);
    auto& ranks = after.emplace_back();
    for (const auto& blocks : reference::execute(*listed(begun)).final_values) {
      auto& there = ranks.emplace_back();
      for (std::size_t r = 0; r < blocks[0]->size(); ++r)
        if ((*blocks[0])[r] > 0) there.insert(static_cast<Rank>(r));
    }
  }
  return after;
}

/// The first step at which a copy takes from a rank, for good, what it must end with, and brings it nothing; -1: there
/// is none.
int first_destruction(const PlainSchedule& plain) {
  const auto after = held(plain);
  for (std::size_t s = 0; s < plain.steps.size(); ++s)
    for (const PlainTransfer& t : plain.steps[s]) {
      const auto rank = static_cast<std::size_t>(t.dst);
      const auto& had = after[s][rank];
      const auto& has = after[s + 1][rank];
      if (t.op != Op::copy || !reference::must_hold(plain.header, t.dst, 0)) continue;
      if (!std::includes(had.begin(), had.end(), has.begin(), has.end())) continue;
      for (const Rank r : had)
        if (std::none_of(after.begin() + static_cast<std::ptrdiff_t>(s) + 1, after.end(),
                         [&](const auto& ranks) { return ranks[rank].contains(r); }))
          return static_cast<int>(s);
    }
  return -1;
}

}  // namespace

TEST_CASE("explain: a copy over a finished sum is shown, not a contribution that never leaves") {
  // Rank 0 is done after step 1. Then it should send to rank 2, but rank 2 sends to it.
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 4, .blocks = 1}, {}};
  plain.steps.push_back({{1, 0, {0}, Op::reduce}, {3, 2, {0}, Op::reduce}});
  plain.steps.push_back({{2, 0, {0}, Op::reduce}});
  plain.steps.push_back({{0, 1, {0}, Op::copy}});
  plain.steps.push_back({{2, 0, {0}, Op::copy}});
  CHECK(sentences(plain) ==
        std::vector<std::string>{
            "rank 0 ends without rank 0's contribution to block 0",
            "it was there (rank 0's own, held from the start) until a copy from rank 2 replaced it at "
            "step 3"});
}

TEST_CASE("explain: a copy over a partial sum that brings nothing is shown") {
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 4, .blocks = 1}, {}};
  plain.steps.push_back({{1, 0, {0}, Op::reduce}});
  plain.steps.push_back({{1, 0, {0}, Op::copy}});
  plain.steps.push_back({{2, 0, {0}, Op::reduce}});
  plain.steps.push_back({{0, 1, {0}, Op::copy}, {0, 2, {0}, Op::copy}, {0, 3, {0}, Op::copy}});
  CHECK(sentences(plain) ==
        std::vector<std::string>{
            "rank 0 ends without rank 0's contribution to block 0",
            "it was there (rank 0's own, held from the start) until a copy from rank 1 replaced it at "
            "step 1"});
}

TEST_CASE("explain: what was destroyed on the way to the owner is shown where that was") {
  PlainSchedule plain{{.collective = Collective::reduce_scatter, .ranks = 4, .blocks = 1}, {}};
  plain.steps.push_back({{1, 2, {0}, Op::reduce}});
  plain.steps.push_back({{3, 2, {0}, Op::copy}});
  plain.steps.push_back({{2, 0, {0}, Op::reduce}});
  CHECK(sentences(plain) ==
        std::vector<std::string>{"rank 0 ends without rank 2's contribution to block 0",
                                 "it was on rank 2 (rank 2's own, held from the start) until a copy "
                                 "from rank 3 replaced it there at step 1"});
}

TEST_CASE("explain: a transfer that is missing is not blamed on the copies after it") {
  // A ring whose second move is missing: the copies replace partial sums, as in a right one, by what others added up.
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = 4, .blocks = 1}, {}};
  plain.steps.push_back({{1, 2, {0}, Op::reduce}});
  plain.steps.push_back({});
  plain.steps.push_back({{3, 0, {0}, Op::reduce}});
  for (const Rank r : {0, 1, 2}) plain.steps.push_back({{r, r + 1, {0}, Op::copy}});
  CHECK(sentences(plain) ==
        std::vector<std::string>{"rank 0 ends without rank 2's contribution to block 0", "it never leaves rank 2"});
}

TEST_CASE("explain: on random schedules what is told is so, and the first copy that destroyed data is told") {
  std::mt19937 random(20);
  int destroyed = 0;
  int elsewhere = 0;
  for (int k = 0; k < 20000; ++k) {
    const PlainSchedule plain = random_moves(random);
    const SchedulePtr schedule = listed(plain);
    const Report report = verify(*schedule);
    if (verdict_of(report, "well-formed") == Verdict::fail || report.verdict == Verdict::pass) continue;
    CAPTURE(k);
    const Counterexample& c = counterexample_of(report, "exactly-once");
    REQUIRE(falsehood(*schedule, c) == "");
    const Counterexample::Facts facts = c.facts();
    if (facts.replaced_on && *facts.replaced_on != c.rank) ++elsewhere;
    const int first = first_destruction(plain);
    if (first < 0) continue;
    ++destroyed;
    REQUIRE(facts.is_destroyed);
    REQUIRE(*c.step <= first);
  }
  // Both must have been met often, or this test says little.
  REQUIRE(destroyed > 1000);
  REQUIRE(elsewhere > 300);
}

TEST_CASE("explain: a sum that is destroyed among thousands of ranks is found before what is wrong with others") {
  // Rank 5 is left out, so it lacks nearly all contributions. Rank 7 is done, and then gets what rank 1 has, which
  // lacks that of rank 2998 only.
  const Rank p = 3000;
  const Rank late = 2998;
  PlainSchedule plain{{.collective = Collective::allreduce, .ranks = p, .blocks = 1}, {}};
  auto& in = plain.steps.emplace_back();
  for (Rank r = 1; r < p; ++r)
    if (r != late) in.push_back({r, 0, {0}, Op::reduce});
  plain.steps.push_back({{0, 1, {0}, Op::copy}});
  plain.steps.push_back({{late, 0, {0}, Op::reduce}});
  auto& out = plain.steps.emplace_back();
  for (Rank r = 2; r < p; ++r)
    if (r != 5) out.push_back({0, r, {0}, Op::copy});
  plain.steps.push_back({{1, 7, {0}, Op::copy}});
  const Report report = verify(*listed(plain));
  CHECK(describe(counterexample_of(report, "exactly-once")) ==
        std::vector<std::string>{"rank 7 ends without rank 2998's contribution to block 0",
                                 "it was there (rank 2998 -> 0 at step 2 -> 7 at step 3) until a copy from rank 1 "
                                 "replaced it at step 4"});
}

namespace {

/// Six ranks on three nodes; leaders exchange one after the other, and send on what they got.
PlainSchedule leaders() {
  PlainSchedule plain;
  plain.header.ranks = 6;
  plain.header.blocks = 1;
  plain.header.names = {{{"node", 3}, {"gpu", 2}}, {{"add up", 0}, {"exchange", 1}, {"give back", 3}}};
  plain.steps = {{{1, 0, {0}, Op::reduce}, {3, 2, {0}, Op::reduce}, {5, 4, {0}, Op::reduce}},
                 {{0, 2, {0}, Op::reduce}, {2, 4, {0}, Op::reduce}, {4, 0, {0}, Op::reduce}},
                 {{0, 4, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}, {4, 2, {0}, Op::reduce}},
                 {{0, 1, {0}, Op::copy}, {2, 3, {0}, Op::copy}, {4, 5, {0}, Op::copy}}};
  return plain;
}

}  // namespace

TEST_CASE("a counterexample says the names of ranks and steps beside their numbers") {
  CHECK(sentences(leaders()) ==
        std::vector<std::string>{
            "rank 0 (node 0, gpu 0) ends with the contribution of rank 0 (node 0, gpu 0) to block 0 twice",
            "way 1: its own, held from the start", "way 2: rank 0 (node 0, gpu 0)",
            "  -> 2 (node 1, gpu 0) at step 1 (exchange)", "  -> 0 (node 0, gpu 0) at step 2 (exchange)"});
  PlainSchedule lost = leaders();
  lost.steps.erase(lost.steps.begin() + 1, lost.steps.begin() + 3);
  lost.header.names.phases = {{"give back", 1}};
  CHECK(sentences(lost) ==
        std::vector<std::string>{
            "rank 2 (node 1, gpu 0) ends without the contribution of rank 0 (node 0, gpu 0) to block 0",
            "it comes as far as: rank 0 (node 0, gpu 0) -> 1 (node 0, gpu 1) at step 1 (give back)"});
}

TEST_CASE("names change nothing but words") {
  std::mt19937 random(11);
  int failing = 0;
  for (int round = 0; round < 200; ++round) {
    PlainSchedule plain = random_moves(random);
    const VerifyOptions options{.bounds = {.ports = 0, .staging = 0}, .unrequired_up_to = UINT64_MAX};
    const Report without = verify(*listed(plain), options);
    plain.header.names = {{{"n", plain.header.ranks}}, {{"all", 0}}};
    Report with = verify(*listed(plain), options);
    REQUIRE(with.properties.size() == without.properties.size());
    for (std::size_t k = 0; k < with.properties.size(); ++k) {
      PropertyResult& one = with.properties[k];
      const PropertyResult& other = without.properties[k];
      CHECK(one.verdict == other.verdict);
      CHECK(one.counterexample.has_value() == other.counterexample.has_value());
      if (!one.counterexample) continue;
      ++failing;
      CHECK(one.counterexample->names == plain.header.names);
      if (std::holds_alternative<Counterexample::Scattered>(one.counterexample->what)) continue;
      CHECK(describe(*one.counterexample) != describe(*other.counterexample));
      if (std::holds_alternative<Counterexample::Told>(one.counterexample->what)) continue;  // has its text already
      one.counterexample->names = {};
      CHECK(describe(*one.counterexample) == describe(*other.counterexample));
    }
  }
  CHECK(failing > 300);
}

}  // namespace explain_test
