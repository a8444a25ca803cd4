// Results that are whole but elsewhere, and blocks that are copied twice: what is said of them.
#include <catch2/catch.hpp>

#include "agreement.h"
#include "plain_schedule.h"
#include "verifier/certificate.h"
#include "verifier/verify.h"

namespace misplaced_test {

using namespace onceover::support;

namespace {

const Counterexample& wrong(const Report& report) {
  return *report.find(exactly_once_property)->counterexample;
}

std::vector<std::string> told(const PlainSchedule& schedule) {
  return describe(wrong(verify(*listed(schedule))));
}

/// A ring reduce-scatter in which the sum of block b ends on rank b - 1.
PlainSchedule shifted_ring(Rank p, std::vector<Rank> owners = {}) {
  PlainSchedule s{{.collective = Collective::reduce_scatter, .ranks = p, .blocks = p, .owners = std::move(owners)}, {}};
  for (Rank step = 0; step + 1 < p; ++step) {
    auto& moves = s.steps.emplace_back();
    for (Rank r = 0; r < p; ++r) moves.push_back({r, (r + 1) % p, {(r - step + p) % p}, Op::reduce});
  }
  return s;
}

/// An allgather of one step in which rank r's block lands as block `place(r)`.
PlainSchedule stored(Rank p, Block (*place)(Block)) {
  PlainSchedule s{{.collective = Collective::allgather, .ranks = p, .blocks = p}, {{}}};
  for (Rank src = 0; src < p; ++src)
    for (Rank dst = 0; dst < p; ++dst)
      if (src != dst || place(src) != src) s.steps[0].push_back({src, dst, {src}, Op::copy, {place(src)}});
  return s;
}

/// A broadcast along a chain in which rank 2 gets the block twice in a step, and rank 3, if it is there, never.
PlainSchedule twice(Rank p) {
  PlainSchedule s{{.collective = Collective::broadcast, .ranks = p, .blocks = 1}, {}};
  s.steps = {{{0, 1, {0}, Op::copy}}, {{0, 2, {0}, Op::copy}, {1, 2, {0}, Op::copy}}};
  return s;
}

}  // namespace

TEST_CASE("misplaced: a shifted reduce-scatter says which block a rank has, and the owners with which it would pass") {
  const auto lines = told(shifted_ring(4));
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "rank 0 ends with the whole of block 1, which is rank 1's, and not of block 0, its own");
  CHECK(lines[1] == "it would pass with \"owners\": [3, 0, 1, 2]");
  CHECK(wrong(verify(*listed(shifted_ring(4)))).owners == std::vector<Rank>{3, 0, 1, 2});
  CHECK(verify(*listed(shifted_ring(4, {3, 0, 1, 2}))).verdict == Verdict::pass);
}

TEST_CASE("misplaced: a block that nobody has in whole leaves no owners") {
  PlainSchedule s = shifted_ring(4);
  s.steps.back().pop_back();
  CHECK(wrong(verify(*listed(s))).owners.empty());
}

TEST_CASE("misplaced: what a rank began with or forwarded is not in the place of what was lost") {
  PlainSchedule alltoall{{.collective = Collective::alltoall, .ranks = 2, .blocks = 4}, {}};
  CHECK(told(alltoall) == std::vector<std::string>{"rank 1 ends without block 0 -> 1", "it never leaves rank 0"});
  alltoall.steps = {{{0, 1, {1}, Op::copy}}};
  CHECK(told(alltoall) == std::vector<std::string>{"rank 0 ends without block 1 -> 0", "it never leaves rank 1"});
  PlainSchedule scatter{{.collective = Collective::scatter, .ranks = 3, .blocks = 3}, {}};
  scatter.steps = {{{0, 1, {2}, Op::copy}}, {{1, 2, {2}, Op::copy}}};
  CHECK(told(scatter).front() == "rank 1 ends without rank 0's contribution to block 1");
  scatter.steps = {{{0, 1, {2}, Op::copy}, {0, 2, {1}, Op::copy}}};
  CHECK(told(scatter).front() ==
        "rank 1 ends with the whole of block 2, which is rank 2's, and not of block 1, its own");
}

TEST_CASE("misplaced: an allgather that stores blocks elsewhere says how they changed places") {
  const auto exchanged = told(stored(4, [](Block b) { return b == 0 || b == 3 ? b : 3 - b; }));
  CHECK(exchanged == std::vector<std::string>{"rank 1 ends with the whole of block 2 in the place of block 1",
                                              "on every rank, blocks 1 and 2 are exchanged"});
  const auto shifted = told(stored(3, [](Block b) { return (b + 2) % 3; }));
  CHECK(shifted.back() == "on every rank, block b+1 is in the place of block b, modulo 3");
}

TEST_CASE("misplaced: an allgather whose ranks begin with each other's blocks names the owners") {
  PlainSchedule s{{.collective = Collective::allgather, .ranks = 2, .blocks = 2}, {}};
  s.steps = {{{0, 1, {1}, Op::copy}, {1, 0, {0}, Op::copy}}};
  const auto lines = told(s);
  CHECK(lines[0] == "at step 0 rank 1 sends block 0 to rank 0 but holds none of it");
  CHECK(lines.back() == "it would pass with \"owners\": [1, 0]");
}

TEST_CASE("misplaced: what is said is so, for every permutation of four blocks") {
  for (int n = 0; n < 256; ++n) {
    PlainSchedule s{{.collective = Collective::allgather, .ranks = 4, .blocks = 4}, {{}}};
    for (Rank src = 0; src < 4; ++src)
      for (Rank dst = 0; dst < 4; ++dst)
        if (const Block in = (n >> (2 * src)) & 3; src != dst || in != src)
          s.steps[0].push_back({src, dst, {src}, Op::copy, {in}});
    CHECK(disagreement(*listed(s)) == "");
  }
}

TEST_CASE("clash: two copies of one value fail well-formed, and what else is wrong is told") {
  const Report harmless = verify(*listed(twice(3)));
  CHECK(verdict_of(harmless, "well-formed") == Verdict::fail);
  CHECK(harmless.find(exactly_once_property)->summary == not_well_formed);
  CHECK(describe(counterexample_of(harmless, "well-formed")).front() ==
        "at step 1 two copies of the same value write block 0 on rank 2");

  const Report lost = verify(*listed(twice(4)));
  CHECK(lost.verdict == Verdict::fail);
  CHECK(counterexample_of(lost, "well-formed").kind() == Counterexample::Conflict::kind);
  CHECK(describe(wrong(lost)).front() == "rank 3 ends without rank 0's contribution to block 0");
}

TEST_CASE("clash: copies of different values, or a copy and a reduction, leave no result") {
  PlainSchedule s{{.collective = Collective::allreduce, .ranks = 3, .blocks = 1}, {}};
  for (const Op op : {Op::copy, Op::reduce}) {
    s.steps = {{{0, 2, {0}, Op::copy}, {1, 2, {0}, op}}};
    const Report report = verify(*listed(s));
    CHECK(counterexample_of(report, "well-formed").kind() == Counterexample::Conflict::kind);
    CHECK(report.find(exactly_once_property)->summary == not_well_formed);
  }
}

TEST_CASE("clash: copies of different blocks into one aren't copies of one value") {
  PlainSchedule s{{.collective = Collective::broadcast, .ranks = 2, .blocks = 3}, {}};
  s.steps = {{{0, 1, {1}, Op::copy, {0}}, {0, 1, {2}, Op::copy, {0}}}};
  CHECK(describe(counterexample_of(verify(*listed(s)), "well-formed")).front() ==
        "at step 0 two transfers write block 0 on rank 1, one of them a copy");
}

}  // namespace misplaced_test
