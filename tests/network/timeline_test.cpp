// The times of messages: those that `cost` and `simulate` add up.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "network/cost.h"
#include "network/simulation.h"
#include "networks.h"
#include "plain_schedule.h"
#include "reference_router.h"
#include "schedules/catalogue.h"

namespace timeline_test {

using namespace onceover::network;
using namespace onceover::support;

namespace {

struct Timeline {
  std::vector<TimedMessage> messages;
  std::vector<double> ends;  // of each step
  double time = 0;
};

Timeline synchronous(const Schedule& schedule, const Network& network, const RankSpeeds& speeds, double bytes) {
  Timeline line;
  const auto time = follow_in_time(
      schedule, network, {}, speeds, bytes, [&](const TimedMessage& m) { line.messages.push_back(m); },
      [&](double end) { line.ends.push_back(end); });
  REQUIRE(time);
  line.time = *time;
  return line;
}

Timeline asynchronous(const Schedule& schedule, const Network& network, const RankSpeeds& speeds, double bytes) {
  Timeline line;
  const auto time =
      simulate(schedule, network, {}, speeds, bytes, [&](const TimedMessage& m) { line.messages.push_back(m); });
  REQUIRE(time);
  line.time = *time;
  return line;
}

double last_arrival(const Timeline& line, int step) {
  double last = 0;
  for (const TimedMessage& m : line.messages)
    if (m.step == step) last = std::max(last, m.arrived);
  return last;
}

/// Each message of the schedule once, in any order.
void check_complete(const Timeline& line, const Schedule& schedule) {
  std::map<std::tuple<int, Rank, int>, std::uint32_t> expected, found;
  std::set<std::tuple<int, Rank, int, std::uint32_t>> seen;
  std::vector<Transfer> messages;
  for (int s = 0; s < schedule.steps(); ++s) {
    schedule.messages(s, messages);
    for (const Transfer& t : messages) ++expected[{s, t.src, t.lane}];
  }
  for (const TimedMessage& m : line.messages) {
    ++found[{m.step, m.src, m.lane}];
    CHECK(seen.insert({m.step, m.src, m.lane, m.order}).second);
    CHECK(m.order < expected[{m.step, m.src, m.lane}]);
  }
  CHECK(found == expected);
}

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape, bool all_lanes) {
  return find_algorithm(algorithm)->make({.shape = std::move(shape), .all_lanes = all_lanes});
}

}  // namespace

TEST_CASE("a ring's messages are under way for a neighbour's latency and a block's transfer") {
  const Network network = network_of("torus", {4});
  const SchedulePtr ring = made("ring", {4}, false);
  const RankSpeeds slow{.overhead = 50, .reduction = 2};
  const Timeline line = synchronous(*ring, network, slow, 4000);
  const double flight = 400 + 1000.0 * 8 / 400, reduction = 2 * 1000;
  REQUIRE(line.messages.size() == 6 * 4);
  for (const TimedMessage& m : line.messages) {
    const double begin = m.step * (50 + flight) + std::min(m.step, 3) * reduction;
    CHECK(m.sent == Approx(begin + 50));
    CHECK(m.arrived == Approx(begin + 50 + flight));
  }
  CHECK(line.time == cost(*ring, network, {}, slow)->time(4000));
}

TEST_CASE("each message arrives by the definition, and the last of each step ends it") {
  for (const auto& [topology, shape, algorithm, all_lanes] :
       std::vector<std::tuple<std::string, std::vector<Rank>, std::string, bool>>{
           {"torus", {7}, "swing", false},
           {"torus", {4, 4}, "swing", true},
           {"mesh", {3, 4}, "bucket", false},
           {"hx2mesh", {4, 4}, "recursive-doubling", false},
           {"fat-tree:radix=4,taper=3", {8}, "generalized", false}}) {
    CAPTURE(topology, algorithm);
    const Network network = network_of(topology, shape);
    const SchedulePtr schedule = made(algorithm, shape, all_lanes);
    const double bytes = 1e5, block = bytes / schedule->header().blocks;
    const Timeline line = synchronous(*schedule, network, {}, bytes);
    check_complete(line, *schedule);
    REQUIRE(line.ends.size() == static_cast<std::size_t>(schedule->steps()));
    for (int s = 0; s < schedule->steps(); ++s) {
      CHECK(last_arrival(line, s) == Approx(line.ends[static_cast<std::size_t>(s)]));
      const double begin = s == 0 ? 0 : line.ends[static_cast<std::size_t>(s - 1)];
      const auto loads = reference_loads(*schedule, network, s);
      std::map<std::tuple<Rank, int, std::uint32_t>, double> arrived;
      for (const TimedMessage& m : line.messages)
        if (m.step == s) arrived[{m.src, m.lane, m.order}] = m.arrived;
      std::map<std::pair<Rank, int>, std::uint32_t> sends;
      std::vector<Transfer> messages;
      schedule->messages(s, messages);
      for (const Transfer& t : messages) {
        double slowest = 0, latency = 0;
        for (const auto& path : shortest_paths(network, t.src, t.dst)) {
          double along = 0;
          for (const Link l : path) {
            along += network.link(l).latency;
            slowest = std::max(slowest, static_cast<double>(loads.at(l)) * block * 8 / network.link(l).bandwidth);
          }
          latency = std::max(latency, along);
        }
        const std::tuple key{t.src, t.lane, sends[{t.src, t.lane}]++};
        CHECK(arrived.at(key) == Approx(begin + latency + slowest));
      }
    }
    CHECK(line.time == Approx(line.ends.back()));
    CHECK(line.time == cost(*schedule, network, {}, {})->time(bytes));
  }
}

TEST_CASE("without waiting, a rank sends when all that it waited for has arrived") {
  for (const auto& [algorithm, shape, all_lanes] : std::vector<std::tuple<std::string, std::vector<Rank>, bool>>{
           {"swing", {7}, false}, {"bucket", {4, 4}, true}, {"pat", {8}, false}}) {
    CAPTURE(algorithm);
    const Network network = network_of("torus", shape);
    const SchedulePtr schedule = made(algorithm, shape, all_lanes);
    for (const RankSpeeds& speeds : {RankSpeeds{}, RankSpeeds{.overhead = 100, .reduction = 0.1}}) {
      const Timeline line = asynchronous(*schedule, network, speeds, 1e5);
      check_complete(line, *schedule);
      CHECK(line.time == *simulate(*schedule, network, {}, speeds, 1e5));
      std::map<std::tuple<int, Rank, int, std::uint32_t>, Rank> receiver;
      std::vector<Transfer> messages;
      for (int s = 0; s < schedule->steps(); ++s) {
        std::map<std::pair<Rank, int>, std::uint32_t> sends;
        schedule->messages(s, messages);
        for (const Transfer& t : messages) receiver[{s, t.src, t.lane, sends[{t.src, t.lane}]++}] = t.dst;
      }
      std::map<std::tuple<Rank, int, int>, double> complete;  // by rank, lane and step
      for (const TimedMessage& m : line.messages) {
        double& last = complete[{receiver.at({m.step, m.src, m.lane, m.order}), m.lane, m.step}];
        last = std::max(last, m.arrived);
      }
      double last = 0;
      for (const TimedMessage& m : line.messages) {
        last = std::max(last, m.arrived);
        CHECK(m.arrived > m.sent);
        for (int s = 0; s < m.step; ++s)
          if (const auto before = complete.find({m.src, m.lane, s}); before != complete.end())
            CHECK(m.sent >= before->second + speeds.overhead - 1e-6);
      }
      if (speeds.reduction == 0) CHECK(line.time == Approx(last));
      CHECK(line.time >= last * (1 - 1e-12));
    }
  }
}

TEST_CASE("a schedule that can't be followed has no times") {
  const PlainSchedule nowhere{.header = {.ranks = 2, .blocks = 1}, .steps = {{{0, 0, {0}, Op::copy}}}};
  const auto ignore = [](const TimedMessage&) { FAIL("no message"); };
  CHECK_FALSE(follow_in_time(*listed(nowhere), network_of("torus", {2}), {}, {}, 1, ignore, [](double) {}));
}

}  // namespace timeline_test
