#include "verifier/blocking.h"

#include <catch2/catch.hpp>

#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace blocking_test {

using namespace onceover::support;

namespace {

SchedulePtr made(const char* algorithm, Rank p) {
  return find_algorithm(algorithm)->make(on_line(Collective::allreduce, p));
}

}  // namespace

TEST_CASE("blocking: a ring ends in even-odd order, and deadlocks if all send first") {
  for (Rank p = 2; p <= 17; ++p) {
    const SchedulePtr ring = made("ring", p);
    const auto steps = static_cast<std::uint64_t>(ring->steps());
    CAPTURE(p);
    const BlockingRun even_odd = run_blocking(*ring, CallOrder::even_odd);
    CHECK(even_odd.ends());
    CHECK(even_odd.rounds >= 2 * steps);
    if (p % 2 == 0) CHECK(even_odd.rounds == 2 * steps);
    CHECK(run_blocking(*ring, CallOrder::sendrecv).rounds == steps);
    const BlockingRun all = run_blocking(*ring, CallOrder::all_send_first);
    REQUIRE_FALSE(all.ends());
    REQUIRE(all.circle.size() == static_cast<std::size_t>(p));
    for (std::size_t k = 0; k < all.circle.size(); ++k) {
      CHECK(all.circle[k].is_send);
      CHECK(all.circle[k].peer == all.circle[(k + 1) % all.circle.size()].rank);
    }
  }
}

TEST_CASE("blocking: a step of which nothing is sent back ends in any order") {
  PlainSchedule chain;
  chain.header = {.collective = Collective::broadcast, .ranks = 4, .blocks = 1};
  chain.steps = {{{0, 1, {0}, Op::copy}}, {{1, 2, {0}, Op::copy}}, {{2, 3, {0}, Op::copy}}};
  for (const CallOrder order : call_orders()) {
    const BlockingRun run = run_blocking(*listed(chain), order);
    CHECK(run.ends());
    CHECK(run.rounds == 3);
  }
}

TEST_CASE("blocking: partners of one parity deadlock in even-odd order") {
  const SchedulePtr near = made("recursive-doubling", 4);  // partners r xor 1, then r xor 2
  const BlockingRun run = run_blocking(*near, CallOrder::even_odd);
  CHECK_FALSE(run.ends());
  CHECK(run.circle.size() == 2);
  CHECK(run_blocking(*near, CallOrder::sendrecv).ends());
}

TEST_CASE(
    "blocking: what a rank calls in a step is what the order says, and a stuck call says what returned before it") {
  PlainSchedule schedule;
  schedule.header = {.collective = Collective::broadcast, .ranks = 4, .blocks = 1};
  schedule.steps = {{{2, 0, {0}, Op::copy}}, {{1, 3, {0}, Op::copy}, {3, 1, {0}, Op::copy}, {1, 0, {0}, Op::copy}}};
  std::vector<CallsOfStep> calls(9, {.first = {{7, 7, true}}});
  const auto of_1 = [&](CallOrder order) {
    read_calls(*listed(schedule), 1, order, calls);
    std::vector<std::pair<bool, Rank>> all;
    for (const auto* list : {&calls[1].first, &calls[1].second})
      for (const BlockingCall& call : *list) all.emplace_back(call.is_send, call.peer);
    return all;
  };
  using Calls = std::vector<std::pair<bool, Rank>>;
  CHECK(of_1(CallOrder::all_send_first) == Calls{{true, 3}, {true, 0}, {false, 3}});
  CHECK(calls.size() == 4);
  CHECK(of_1(CallOrder::even_odd) == Calls{{false, 3}, {true, 3}, {true, 0}});
  CHECK(of_1(CallOrder::sendrecv) == Calls{{true, 3}, {true, 0}, {false, 3}});
  CHECK(calls[1].second.size() == 1);
  std::swap(schedule.steps[1][0], schedule.steps[1][2]);
  const BlockingRun run = run_blocking(*listed(schedule), CallOrder::all_send_first);
  REQUIRE(run.circle.size() == 2);
  CHECK(run.circle[0].returned == 1);  // rank 1's call to 0, but none of the step before
  CHECK(run.circle[1].returned == 0);
}

TEST_CASE("blocking: a rank takes one message after another, and may wait outside the circle") {
  PlainSchedule schedule;
  schedule.header = {.collective = Collective::reduce, .ranks = 3, .blocks = 1};
  schedule.steps = {{{1, 0, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}}};
  for (const CallOrder order : call_orders()) {
    const BlockingRun run = run_blocking(*listed(schedule), order);
    CHECK(run.ends());
    CHECK(run.rounds == 2);
  }
  schedule.steps = {{{0, 1, {0}, Op::reduce}, {1, 2, {0}, Op::reduce}, {2, 1, {0}, Op::reduce}}};
  const BlockingRun run = run_blocking(*listed(schedule), CallOrder::all_send_first);
  REQUIRE(run.circle.size() == 2);
  CHECK(run.circle[0].rank == 1);
  CHECK(run.circle[1].rank == 2);
}

}  // namespace blocking_test
