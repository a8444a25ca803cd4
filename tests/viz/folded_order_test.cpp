// Programs with what is alike drawn once: an arrow joins two drawn operations exactly where it joins all that they
// stand for, and an odd one out is drawn itself.

#include "viz/folded_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "count.h"
#include "drawn_text.h"
#include "viz/alike_operations.h"
#include "viz/repeated_rows.h"

namespace folded_order_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

constexpr Style page{.width = 7};

/// Each rank sends to the peer of the step and receives from whom it is the peer, in one thread.
template <class Peer>
OrderedProgram exchange(Rank p, int steps, Peer&& peer) {
  OrderedProgram program{.title = "x", .operations = {}, .reasons = {{{}, "message"}}, .waits = {}};
  std::map<std::tuple<Rank, int>, std::size_t> receive;
  std::map<std::size_t, std::pair<Rank, int>> send;
  for (Rank r = 0; r < p; ++r)
    for (int s = 0; s < steps; ++s) {
      const Rank to = peer(r, s);
      Rank from = 0;
      while (peer(from, s) != r) ++from;
      send[program.operations.size()] = {to, s};
      program.operations.push_back({r, 0, std::to_string(2 * s), "send", {}, {to}});
      receive[{r, s}] = program.operations.size();
      program.operations.push_back({r, 0, std::to_string(2 * s + 1), "receive", {from}, {}});
    }
  for (const auto& [operation, where] : send) program.waits.push_back({operation, receive.at(where), 0});
  return program;
}

OrderedProgram ring(Rank p, int steps) {
  return exchange(p, steps, [p](Rank r, int) { return (r + 1) % p; });
}

/// By operation: its neighbours' classes, with reason and direction.
std::vector<std::multiset<std::tuple<std::size_t, int, std::size_t>>> neighbours(const OrderedProgram& program,
                                                                                 const AlikeOperations& alike) {
  std::vector<std::multiset<std::tuple<std::size_t, int, std::size_t>>> all(program.operations.size());
  const auto join = [&](std::size_t a, std::size_t b, std::size_t reason, bool meet) {
    all[b].emplace(reason, meet ? 2 : 0, alike.class_of(a));
    all[a].emplace(reason, meet ? 2 : 1, alike.class_of(b));
  };
  for (const OrderedProgram::Wait& wait : program.waits) join(wait.before, wait.after, wait.reason, wait.meet);
  for (std::size_t k = 1; k < all.size(); ++k) {
    const auto &a = program.operations[k - 1], &b = program.operations[k];
    if (program.threads_are_ordered && a.rank == b.rank && a.thread == b.thread) join(k - 1, k, 99, false);
  }
  return all;
}

/// What the classes promise.
void check_alike(const OrderedProgram& program) {
  const auto alike = AlikeOperations::of(program);
  REQUIRE(alike);
  const auto around = neighbours(program, *alike);
  std::map<std::size_t, std::size_t> first;
  for (std::size_t k = 0; k < program.operations.size(); ++k) {
    const std::size_t like = first.try_emplace(alike->class_of(k), k).first->second;
    const auto &a = program.operations[like], &b = program.operations[k];
    CHECK(a.words == b.words);
    CHECK(around[like] == around[k]);
    CHECK(alike->level_of(like) == alike->level_of(k));
    CHECK(alike->class_of_rank(a.rank) == alike->class_of_rank(b.rank));
  }
  for (const OrderedProgram::Wait& wait : program.waits)
    CHECK((wait.meet ? alike->level_of(wait.before) == alike->level_of(wait.after)
                     : alike->level_of(wait.before) < alike->level_of(wait.after)));
}

std::size_t boxes(const Picture& picture) {
  const auto is_node = [](const DrawnShape& shape) { return shape.role == Role::node; };
  return static_cast<std::size_t>(std::count_if(picture.shapes().begin(), picture.shapes().end(), is_node));
}

}  // namespace

TEST_CASE("a ring and a hypercube are one rank, at any size") {
  for (const Rank p : {4, 8, 64}) {
    check_alike(ring(p, 5));
    const auto drawn = as_text(draw_folded(ring(p, 5), {}, page));
    REQUIRE(drawn);
    CHECK(boxes(drawn->picture) == 4);
    CHECK(count(*drawn, "the 2 rows above, 3 times more") == 1);
    CHECK(count(*drawn, fmt::format("rank 0: 1 of {}", p)) == 1);
    CHECK(count(*drawn, "0.0 send to 1") == 1);
    CHECK(count(*drawn, fmt::format("receive from {}", p - 1)) == 2);
    const auto cube = draw_folded(exchange(p, 2, [](Rank r, int s) { return r ^ (1 << s); }), {}, page);
    REQUIRE(cube);
    CHECK(boxes(*cube) == 4);
  }
}

TEST_CASE("the rank that is asked for is drawn for its like") {
  const auto drawn = as_text(draw_folded(ring(8, 2), {5, 6}, page));
  REQUIRE(drawn);
  CHECK(count(*drawn, "rank 5: 1 of 8") == 1);
  CHECK(count(*drawn, "0.0 send to 6") == 1);
}

TEST_CASE("one odd operation shows its rank, and whoever waits for it") {
  OrderedProgram odd = ring(4, 1);
  odd.operations[6].words = "copy";  // the send of rank 3
  check_alike(odd);
  const auto drawn = as_text(draw_folded(odd, {}, page));
  REQUIRE(drawn);
  CHECK(count(*drawn, "0.0 copy to 0") == 1);
  CHECK(boxes(drawn->picture) == 8);  // all ranks are at other distances from it
  OrderedProgram late = ring(8, 2);
  late.waits.erase(late.waits.begin() + 4);
  check_alike(late);
  CHECK(boxes(*draw_folded(late, {}, page)) > 4);
}

TEST_CASE("threads that do alike are one box with their number") {
  OrderedProgram program{.title = "x", .operations = {}, .reasons = {{{}, "message"}}, .waits = {}};
  for (const Rank r : {0, 1})
    for (int thread = 0; thread < 6; ++thread)
      program.operations.push_back({r, thread, "0", r == 0 ? "send" : "receive",
                                    r == 0 ? std::vector<Rank>{} : std::vector<Rank>{0},
                                    r == 0 ? std::vector<Rank>{1} : std::vector<Rank>{}});
  for (std::size_t k = 0; k < 6; ++k) program.waits.push_back({k, k + 6, 0});
  check_alike(program);
  const auto drawn = as_text(draw_folded(program, {}, page));
  REQUIRE(drawn);
  CHECK(boxes(drawn->picture) == 2);
  CHECK(count(*drawn, "0.0 \u00d76 send to 1") == 1);
  CHECK(count(*drawn, "6 threads of the rank do so") == 1);
  CHECK(count(*drawn, "is drawn for all") == 0);
}

TEST_CASE("operations that meet are at one height, and none is before what it waits for") {
  OrderedProgram program = ring(4, 2);
  for (Rank r = 0; r < 4; ++r) program.operations.push_back({r, 0, "4", "barrier", {}, {}});
  std::stable_sort(program.operations.begin(), program.operations.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  program.waits.clear();
  program.waits.push_back({4, 9, 0, true});
  check_alike(program);
}

TEST_CASE("random programs keep the promise") {
  std::mt19937 random(7);
  for (int k = 0; k < 200; ++k) {
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    OrderedProgram program{.title = "x", .operations = {}, .reasons = {{{}, "a"}, {{}, "b"}}, .waits = {}};
    program.threads_are_ordered = below(2) == 0;
    for (Rank r = 0; r < 4; ++r)
      for (int thread = 0; thread < 2; ++thread)
        for (std::size_t n = 0; n < 2; ++n)
          program.operations.push_back({r, thread, std::to_string(n), below(3) == 0 ? "send" : "copy", {}, {}});
    for (std::size_t n = below(12); n > 0; --n) {
      const std::size_t a = below(16), b = below(16);
      if (a % 2 < b % 2) program.waits.push_back({a, b, below(2)});
    }
    check_alike(program);
  }
}

TEST_CASE("what waits in a circle, and what is too much, is refused") {
  OrderedProgram circle = ring(2, 1);
  circle.waits = {{1, 2, 0}, {3, 0, 0}};
  CHECK_FALSE(AlikeOperations::of(circle));
  CHECK(draw_folded(circle, {}, page).error().kind == DrawError::Kind::too_large);
  CHECK(draw_folded(ring(4, 1000), {}, page));
  OrderedProgram tall = ring(4, 100);
  for (auto& o : tall.operations) o.words += o.number;
  CHECK(draw_folded(tall, {}, page).error().message == "200 rows of operations are too many to be seen");
  OrderedProgram all_differ = ring(4, 150);
  for (std::size_t k = 0; k < all_differ.operations.size(); ++k) all_differ.operations[k].words = std::to_string(k);
  CHECK_THAT(draw_folded(all_differ, {}, page).error().message, Catch::StartsWith("1200 operations"));
  OrderedProgram wide = ring(40, 1);
  wide.operations[0].words = "copy";
  CHECK_THAT(draw_folded(wide, {}, page).error().message, Catch::Contains("40 threads side by side need"));
}

TEST_CASE("rows that are repeated are hidden, once each") {
  const auto hidden = [](const std::string& letters) {
    std::vector<std::string> rows;
    for (const char c : letters) rows.emplace_back(1, c);
    std::string shown = letters, said;
    for (const RepeatedRows& run : repeated_rows(rows)) {
      said += fmt::format(" {}x{}", run.period, run.times());
      for (std::size_t k = run.first; k < run.end; ++k) {
        CHECK(rows[k] == rows[k - run.period]);
        CHECK(shown[k] != '.');
        shown[k] = '.';
      }
    }
    return shown + said;
  };
  CHECK(hidden("aaaa") == "a... 1x3");
  CHECK(hidden("aaa") == "aaa");
  CHECK(hidden("xababab") == "xab.... 2x2");
  CHECK(hidden("abcabcabcddddd") == "abc......d.... 3x2 1x4");
  CHECK(hidden("abcd") == "abcd");
  CHECK(hidden("").empty());
}

}  // namespace folded_order_test
