#include "verifier/blocking.h"

#include <array>
#include <catch2/catch.hpp>
#include <optional>
#include <random>

#include "plain_schedule.h"
#include "schedules/catalogue.h"

namespace blocking_test {

using namespace onceover::support;

namespace {

SchedulePtr made(const char* algorithm, Rank p) {
  return find_algorithm(algorithm)->make(on_line(Collective::allreduce, p));
}

/// The rounds of a schedule, found from what must move before what: a message moves when all messages of earlier calls
/// of both its ranks have. Nothing if some must move before themselves.
std::optional<std::uint64_t> rounds_by_order(const PlainSchedule& schedule, CallOrder order) {
  struct Sent {
    Rank src, dst;
    std::pair<int, int> call_of_src, call_of_dst;  // step and number
    std::uint64_t round;                           // from 1; 0: it isn't known yet
  };
  std::vector<Sent> all;
  for (int step = 0; step < static_cast<int>(schedule.steps.size()); ++step) {
    const auto& messages = schedule.steps[static_cast<std::size_t>(step)];
    for (std::size_t k = 0; k < messages.size(); ++k) {
      const auto number = [&](Rank rank, bool is_send) {
        int before = 0, sends = 0, receives = 0;
        for (std::size_t j = 0; j < messages.size(); ++j) {
          sends += messages[j].src == rank ? 1 : 0;
          receives += messages[j].dst == rank ? 1 : 0;
          before += j < k && (is_send ? messages[j].src : messages[j].dst) == rank ? 1 : 0;
        }
        if (order == CallOrder::sendrecv) return before;
        const bool sends_first = order == CallOrder::all_send_first || rank % 2 == 0;
        return before + (is_send == sends_first ? 0 : is_send ? receives : sends);
      };
      const Rank src = messages[k].src, dst = messages[k].dst;
      all.push_back({src, dst, {step, number(src, true)}, {step, number(dst, false)}, 0});
    }
  }
  const auto comes_before = [](const Sent& a, const Sent& b) {
    for (const auto& [rank, call] : {std::pair(b.src, b.call_of_src), std::pair(b.dst, b.call_of_dst)})
      if ((a.src == rank && a.call_of_src < call) || (a.dst == rank && a.call_of_dst < call)) return true;
    return false;
  };
  std::uint64_t rounds = 0;
  for (std::size_t known = 0, before = 1; known < all.size() && known != before;) {
    before = known;
    for (Sent& message : all) {
      if (message.round > 0) continue;
      std::uint64_t last = 0;
      bool can_move = true;
      for (const Sent& other : all) {
        if (!comes_before(other, message)) continue;
        can_move = can_move && other.round > 0;
        last = std::max(last, other.round);
      }
      if (!can_move) continue;
      message.round = last + 1;
      rounds = std::max(rounds, message.round);
      ++known;
    }
  }
  const bool is_done = std::all_of(all.begin(), all.end(), [](const Sent& message) { return message.round > 0; });
  return is_done ? std::optional(rounds) : std::nullopt;
}

}  // namespace

TEST_CASE("blocking: random schedules end, and as late, as what must move before what says") {
  std::mt19937 random(46);
  std::array<int, 3> deadlocks{};
  for (int k = 0; k < 600; ++k) {
    PlainSchedule schedule;
    const Rank ranks = 2 + static_cast<Rank>(random() % 4);
    schedule.header = {.collective = Collective::allreduce, .ranks = ranks, .blocks = 1};
    schedule.steps.resize(1 + random() % 2);
    for (auto& step : schedule.steps)
      for (std::size_t m = 1 + random() % 9; m > 0; --m) {
        const auto src = static_cast<Rank>(random() % static_cast<unsigned>(ranks));
        const auto dst =
            static_cast<Rank>((src + 1 + static_cast<Rank>(random() % static_cast<unsigned>(ranks - 1))) % ranks);
        const bool is_there =
            std::any_of(step.begin(), step.end(), [&](const auto& t) { return t.src == src && t.dst == dst; });
        if (!is_there) step.push_back({src, dst, {0}, Op::reduce});
      }
    for (const CallOrder order : call_orders()) {
      CAPTURE(k, name(order));
      const BlockingRun run = run_blocking(*listed(schedule), order);
      const auto rounds = rounds_by_order(schedule, order);
      REQUIRE(run.ends() == rounds.has_value());
      if (rounds) CHECK(run.rounds == *rounds);
      deadlocks[static_cast<std::size_t>(order)] += rounds ? 0 : 1;
    }
  }
  for (const int count : deadlocks) CHECK(count > 20);
}

TEST_CASE("blocking: with sendrecv a rank's next call begins when both halves of the last have moved") {
  PlainSchedule schedule;
  schedule.header = {.collective = Collective::allreduce, .ranks = 3, .blocks = 1};
  schedule.steps = {
      {{0, 1, {0}, Op::reduce}, {2, 1, {0}, Op::reduce}, {2, 0, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}}};
  // 0 waits for the second send of 2, which waits for the second receive of 1, which waits for that of 0.
  const BlockingRun run = run_blocking(*listed(schedule), CallOrder::sendrecv);
  REQUIRE_FALSE(run.ends());
  CHECK(run.circle.size() >= 2);
  for (std::size_t k = 0; k < run.circle.size(); ++k)
    CHECK(run.circle[k].call.peer == run.circle[(k + 1) % run.circle.size()].rank);
  std::swap(schedule.steps[0][2], schedule.steps[0][3]);  // 0 and 1 exchange, then 2 sends to both
  CHECK(run_blocking(*listed(schedule), CallOrder::sendrecv).rounds == 3);
}

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
      CHECK(all.circle[k].call.is_send);
      CHECK(all.circle[k].call.peer == all.circle[(k + 1) % all.circle.size()].rank);
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

TEST_CASE("blocking: what a rank calls in a step is what the order says, and a stuck call has its number") {
  PlainSchedule schedule;
  schedule.header = {.collective = Collective::broadcast, .ranks = 4, .blocks = 1};
  schedule.steps = {{{2, 0, {0}, Op::copy}}, {{1, 3, {0}, Op::copy}, {3, 1, {0}, Op::copy}, {1, 0, {0}, Op::copy}}};
  std::vector<CallsOfStep> calls(9, {.first = {{7, 7, true, 0}}});
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
  CHECK(run.circle[0].call.number == 1);  // rank 1's call to 0, but none of the step before
  CHECK(run.circle[1].call.number == 0);
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
