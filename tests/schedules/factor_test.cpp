// Which factors may be in products, and why.

#include "schedules/factor.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "formats/schedule_file.h"
#include "verifier/verify.h"

namespace factor_test {

using namespace onceover::programs;

namespace {

std::string refusal(const Factor& factor) {
  try {
    require_sent_once(factor);
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "";
}

Axis one(Rank extent, Rank from, Rank to, const std::vector<Block>& blocks) {
  return {.indices = Indices::only(0),
          .ring = extent,
          .from = Place::at(from),
          .to = Place::at(to),
          .blocks = Blocks::fixed(blocks),
          .extent = extent};
}

std::vector<Axis> kept(const std::vector<std::vector<Block>>& by_rank) {
  std::vector<Axis> axes;
  const auto extent = static_cast<Rank>(by_rank.size());
  for (Rank r = 0; r < extent; ++r) axes.push_back(one(extent, r, r, by_rank[static_cast<std::size_t>(r)]));
  return axes;
}

using Held = std::multiset<std::pair<Rank, Block>>;

/// Every rank and block of the axes, one by one: of those who send, or of those who receive.
Held written_out(const std::vector<Axis>& axes, bool senders) {
  Held all;
  auto wrapped = [](std::int64_t x, Rank ring) { return static_cast<Rank>((x % ring + ring) % ring); };
  for (const Axis& axis : axes)
    for (Rank k = 0; k < axis.indices.count; ++k) {
      const Rank i = axis.indices.first + k * axis.indices.stride;
      const Place place = senders ? axis.from : axis.to;
      const Rank rank = place.moves ? wrapped(i + place.offset, axis.ring) : place.offset;
      for (const Run& run : axis.blocks.offsets)
        for (Block o = run.first; o <= run.last; ++o)
          all.emplace(rank, axis.blocks.move ? wrapped(i + o, axis.ring) : o);
    }
  return all;
}

/// The rule itself, on what is written out.
bool is_sent_once(const Factor& factor) {
  Held left;
  for (Rank r = 0; r < factor.extent; ++r)
    for (Block b = 0; b < factor.extent; ++b) left.emplace(r, b);
  for (std::size_t s = 0; s < factor.sends.size(); ++s) {
    if (written_out(factor.keeps[s], true) != left) return false;
    for (const auto& [rank, block] : written_out(factor.sends[s], true)) {
      if (rank == block || left.count({rank, block}) == 0) return false;
      left.erase({rank, block});
    }
    for (const auto& received : written_out(factor.sends[s], false))
      if (left.count(received) == 0) return false;
  }
  Held own;
  for (Rank r = 0; r < factor.extent; ++r) own.emplace(r, r);
  return left == own && written_out(factor.keeps.back(), true) == own;
}

/// A small change somewhere.
Factor mutated(Factor factor, std::mt19937& random) {
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  auto& side = below(2) == 0 ? factor.sends : factor.keeps;
  auto& axes = side[below(side.size())];
  if (axes.empty()) return factor;
  Axis& axis = axes[below(axes.size())];
  auto& offsets = axis.blocks.offsets;
  switch (below(5)) {
    case 0: axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(below(axes.size()))); break;
    case 1:
      if (axis.to.moves) ++axis.to.offset;
      break;
    case 2:
      if (!offsets.empty()) offsets.erase(offsets.begin() + static_cast<std::ptrdiff_t>(below(offsets.size())));
      break;
    case 3:
      if (!offsets.empty() && axis.blocks.move) {
        Run& run = offsets[below(offsets.size())];
        run = {run.first + 1, run.last + 1};
      }
      break;
    case 4: std::swap(side.front(), side.back()); break;
  }
  return factor;
}

Verdict judged(Rank ranks, const std::vector<std::string>& steps) {
  const std::string text = fmt::format(
      R"({{"format":"onceover-schedule","version":1,"collective":"reduce-scatter","ranks":{0},"blocks":{0},"steps":[{1}]}})",
      ranks, fmt::join(steps, ","));
  return verify(**read_schedule("test", text)).verdict;
}

/// A step's transfers (source, target, block) as JSON.
struct Sent {
  Rank src;
  Rank dst;
  Block block;
};
std::string step(const std::vector<Sent>& transfers, std::string_view op = "reduce") {
  std::vector<std::string> all;
  for (const Sent& t : transfers)
    all.push_back(fmt::format(R"({{"src":{},"dst":{},"blocks":[{}],"op":"{}"}})", t.src, t.dst, t.block, op));
  return fmt::format("[{}]", fmt::join(all, ","));
}

}  // namespace

TEST_CASE("the factors of the catalogue send each foreign block once, after all that they receive of it") {
  for (Rank n = 1; n <= 70; ++n)
    for (const bool mirrored : {false, true}) {
      CAPTURE(n, mirrored);
      CHECK(refusal(swing_factor(n, mirrored)) == "");
      CHECK(refusal(ring_factor(n, mirrored ? -1 : +1)) == "");
      if (n <= 16) CHECK(is_sent_once(swing_factor(n, mirrored)));
      if (n <= 16) CHECK(is_sent_once(ring_factor(n, mirrored ? -1 : +1)));
    }
  for (const Rank rank_step : {1, 4}) CHECK(refusal(pair_factor(rank_step)) == "");
}

TEST_CASE(
    "a block that is sent twice may be right alone, is wrong in a product, and is refused with its rank and steps") {
  // Block 0: rank 1 sends its own to 0, gets 2's by a copy, and sends that.
  CHECK(judged(3, {step({{1, 0, 0}, {0, 1, 1}, {2, 1, 1}, {0, 2, 2}, {1, 2, 2}}), step({{2, 1, 0}}, "copy"),
                   step({{1, 0, 0}})}) == Verdict::pass);
  // On 3 x 2 ranks (2x + y), with the other dimension's step before the last: rank 1 has passed block 0 on, so what it
  // has got since then stays behind.
  auto at = [](Rank x, Rank y) { return 2 * x + y; };
  std::vector<Sent> first, copied, other, last, whole_last;
  for (const Rank y : {0, 1}) {
    for (const Block c : {0, 1}) {
      for (const auto& [src, dst, block] : {Sent{1, 0, 0}, {0, 1, 1}, {2, 1, 1}, {0, 2, 2}, {1, 2, 2}})
        first.push_back({at(src, y), at(dst, y), at(block, c)});
      copied.push_back({at(2, y), at(1, y), at(0, c)});
      whole_last.push_back({at(1, y), at(0, y), at(0, c)});
    }
    for (Rank x = 0; x < 3; ++x) other.push_back({at(x, y), at(x, 1 - y), at(x, 1 - y)});
    last.push_back({at(1, y), at(0, y), at(0, y)});
  }
  CHECK(judged(6, {step(first), step(copied, "copy"), step(whole_last), step(other)}) == Verdict::pass);
  CHECK(judged(6, {step(first), step(copied, "copy"), step(other), step(last)}) == Verdict::fail);

  Factor factor{
      .extent = 3,
      .sends = {{one(3, 1, 0, {0}), one(3, 0, 1, {1}), one(3, 2, 1, {1}), one(3, 0, 2, {2}), one(3, 1, 2, {2})},
                {one(3, 2, 1, {0})},
                {one(3, 1, 0, {0})}},
      .keeps = {keeps_all(3), kept({{0}, {0, 1}, {0, 2}}), kept({{0}, {0, 1}, {2}}), kept({{0}, {1}, {2}})}};
  CHECK(refusal(factor) ==
        "a factor of 3 ranks can't be in a product: rank 1, block 0: it is sent at step 0, and again at step 2");
  PatternedSchedule::Builder plan;
  CHECK_THROWS_WITH(add_product(plan, {factor, ring_factor(2, +1)}, {0, 1, 0, 0}, {}),
                    Catch::Contains("rank 1, block 0"));
  // Without the first of the two it is a factor.
  factor.sends[0].erase(factor.sends[0].begin());
  CHECK(refusal(factor) == "");
}

TEST_CASE("the other reasons why a factor is refused are told, too") {
  auto told = [](const Factor& factor) {
    return refusal(factor).substr(std::string("a factor of 4 ranks can't be in a product: ").size());
  };
  Factor ring = ring_factor(4, +1);
  std::swap(ring.sends[0], ring.sends[2]);
  CHECK(told(ring) == "rank 1, block 2: it arrives at step 1, and was sent at step 0");
  ring = ring_factor(4, +1);
  ring.sends[1].clear();
  CHECK(told(ring) == "rank 0, block 2: it is sent at no step");
  ring = ring_factor(4, +1);
  ring.sends[1][0].blocks = Blocks::relative({0});
  CHECK(told(ring) == "rank 0, block 0: it sends its own at step 1");
  ring = ring_factor(4, +1);
  ring.keeps[2][0].blocks.offsets.pop_back();
  CHECK(told(ring).find("what is kept before step") != std::string::npos);
  ring = ring_factor(4, +1);
  ring.keeps.back()[0].blocks = Blocks::relative({1});
  CHECK(told(ring) == "rank 0, block 1: it is kept after the last step");
  ring = ring_factor(4, +1);
  ring.keeps.front() = ring.keeps.back();
  CHECK(told(ring) == "rank 0, block 0: before step 0 not every rank keeps every block");
}

TEST_CASE("a factor is refused exactly if it breaks the rule with every rank and block written out") {
  std::mt19937 random(7);
  int accepted = 0, refused = 0;
  for (int k = 0; k < 4000; ++k) {
    const auto n = static_cast<Rank>(2 + k % 9);
    const Factor factor = k % 3 == 0 ? ring_factor(n, k % 2 == 0 ? +1 : -1) : swing_factor(n, k % 2 == 0);
    const Factor changed = mutated(factor, random);
    CAPTURE(k, n, refusal(changed));
    REQUIRE((refusal(changed) == "") == is_sent_once(changed));
    ++(is_sent_once(changed) ? accepted : refused);
  }
  CHECK(accepted > 100);
  CHECK(refused > 2000);
}

}  // namespace factor_test
