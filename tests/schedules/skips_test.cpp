#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <set>

#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace skips_test {

using namespace onceover::support;

namespace {

PlainSchedule made(std::string_view row, Collective collective, Rank p, std::string_view order = "") {
  Request request = on_line(collective, p);
  if (!order.empty()) request.settings = {{"order", std::string(order)}};
  return plain(*find_algorithm(row)->make(request));
}

/// The messages of each step, in any order.
std::vector<std::vector<std::tuple<Rank, Rank, std::vector<Block>>>> messages(const PlainSchedule& schedule) {
  std::vector<std::vector<std::tuple<Rank, Rank, std::vector<Block>>>> all;
  for (const auto& step : schedule.steps) {
    all.emplace_back();
    for (const PlainTransfer& t : step) all.back().emplace_back(t.src, t.dst, t.blocks);
    std::sort(all.back().begin(), all.back().end());
  }
  return all;
}

/// Rank -r and block -b take the parts of r and b.
PlainSchedule mirrored(PlainSchedule schedule) {
  const Rank p = schedule.header.ranks;
  auto turn = [&](auto& x) { x = (p - x) % p; };
  for (auto& step : schedule.steps)
    for (PlainTransfer& t : step) {
      turn(t.src), turn(t.dst);
      for (Block& b : t.blocks) turn(b);
      std::sort(t.blocks.begin(), t.blocks.end());
    }
  return schedule;
}

bool is_power(Rank p) {
  return (p & (p - 1)) == 0;
}

}  // namespace

TEST_CASE("circulant: ceil(log2 p) steps, p-1 blocks, and each time another neighbour (Träff, 2024)") {
  for (Rank p = 2; p <= 96; ++p) {
    CAPTURE(p);
    const Request request = on_line(Collective::reduce_scatter, p);
    const Metrics m = verify(*find_algorithm("circulant")->make(request)).metrics;
    REQUIRE((1 << m.steps) >= p);
    REQUIRE((1 << (m.steps - 1)) < p);
    REQUIRE(m.blocks_sent_min == static_cast<std::uint64_t>(p - 1));
    REQUIRE(m.blocks_sent_max == static_cast<std::uint64_t>(p - 1));
    REQUIRE(m.max_sends_per_rank_step == 1);
    std::set<Rank> neighbours;
    for (const auto& step : made("circulant", Collective::reduce_scatter, p).steps)
      for (const PlainTransfer& t : step)
        if (t.src == 0) neighbours.insert(t.dst);
    REQUIRE(static_cast<int>(neighbours.size()) == m.steps);
  }
}

TEST_CASE(
    "circulant is the mirror image of folding, and of Bruck near first, for powers of two and no other p above 2") {
  for (Rank p = 3; p <= 64; ++p) {
    CAPTURE(p);
    const auto image = messages(mirrored(made("circulant", Collective::reduce_scatter, p)));
    CHECK((messages(made("generalized", Collective::reduce_scatter, p)) == image) == is_power(p));
    if (is_power(p)) CHECK(messages(made("bruck", Collective::reduce_scatter, p)) == image);
  }
}

TEST_CASE(
    "circulant: a broadcast of n blocks takes n-1 + ceil(log2 p) steps, with one message a rank each (Träff, 2024)") {
  for (const Collective collective : {Collective::broadcast, Collective::reduce})
    for (Rank p = 2; p <= 80; ++p)
      for (const int n : {1, 2, 3, 4, 7, 16}) {
        CAPTURE(name(collective), p, n);
        Request request = on_line(collective, p);
        request.settings = {{"segments", std::to_string(n)}};
        request.root = n % p;
        const Report report =
            verify(*find_algorithm("circulant")->make(request), {.required = {"no-redundant-transfer"}});
        REQUIRE(report.verdict == Verdict::pass);
        const int rounds = static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1)));
        REQUIRE(report.metrics.steps == n - 1 + rounds);
        REQUIRE(report.metrics.messages == static_cast<std::uint64_t>(n * (p - 1)));
        REQUIRE(report.metrics.max_sends_per_rank_step == 1);
        REQUIRE(report.metrics.max_receives_per_rank_step == 1);
      }
}

TEST_CASE("bine halving has Swing's reduce-scatter and allgather, doubling its broadcast and reduce") {
  int different = 0;
  for (Rank p = 1; p <= 40; ++p) {
    CAPTURE(p);
    for (const Collective c : {Collective::reduce_scatter, Collective::allgather, Collective::allreduce}) {
      CHECK(messages(made("bine", c, p, "halving")) == messages(made("swing", c, p)));
      different += messages(made("bine", c, p, "doubling")) != messages(made("swing", c, p));
    }
    for (const Collective c : {Collective::broadcast, Collective::reduce}) {
      CHECK(messages(made("bine", c, p, "doubling")) == messages(made("swing", c, p)));
      different += messages(made("bine", c, p, "halving")) != messages(made("swing", c, p));
    }
  }
  CHECK(different > 150);
}

TEST_CASE("bine: over edge k an even rank's number changes in its last k+1 digits of base -2, all of them") {
  const int a = 6;
  const Rank p = 1 << a;
  // The number in base -2 of each rank: digits that stand for it, or for p less.
  std::vector<unsigned> number(p);
  for (unsigned digits = 0; digits < static_cast<unsigned>(p); ++digits) {
    int value = 0;
    for (int k = a - 1; k >= 0; --k) value = -2 * value + static_cast<int>(digits >> k & 1U);
    number[static_cast<std::size_t>((value % p + p) % p)] = digits;
  }
  const PlainSchedule tree = made("bine", Collective::broadcast, p, "halving");
  REQUIRE(tree.steps.size() == a);
  for (std::size_t s = 0; s < a; ++s)
    for (const PlainTransfer& t : tree.steps[s]) {
      const unsigned ones = (1U << (a - s)) - 1;
      CHECK((number[static_cast<std::size_t>(t.src)] ^ number[static_cast<std::size_t>(t.dst)]) == ones);
    }
}

}  // namespace skips_test
