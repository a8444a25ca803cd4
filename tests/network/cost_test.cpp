#include "network/cost.h"

#include <catch2/catch.hpp>

#include "network/contention.h"
#include "network/simulation.h"
#include "networks.h"
#include "papers/papers.h"
#include "plain_schedule.h"
#include "reference_router.h"
#include "schedules/catalogue.h"

namespace cost_test {

using namespace onceover::papers;
using namespace onceover::support;

namespace {

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape, bool all_lanes = false) {
  Request request{.shape = std::move(shape)};
  request.all_lanes = all_lanes;
  return find_algorithm(algorithm)->make(request);
}

/// The time by the definition, message by message.
double reference_time(const Schedule& schedule, const Network& network, double bytes) {
  const double block = bytes / schedule.header().blocks;
  double sum = 0;
  std::vector<Transfer> transfers;
  for (int s = 0; s < schedule.steps(); ++s) {
    auto loads = reference_loads(schedule, network, s);
    schedule.transfers(s, transfers);
    double last = 0;
    for (const Transfer& t : transfers) {
      double slowest_link = 0;
      double latency = 0;
      for (const auto& path : shortest_paths(network, t.src, t.dst)) {
        double along = 0;
        for (const Link l : path) {
          along += network.link(l).latency;
          slowest_link = std::max(slowest_link, static_cast<double>(loads[l]) * block * 8 / network.link(l).bandwidth);
        }
        latency = std::max(latency, along);
      }
      last = std::max(last, latency + slowest_link);
    }
    sum += last;
  }
  return sum;
}

}  // namespace

TEST_CASE("times are those of the definition, message by message") {
  for (const auto& [topology, shape] :
       std::vector<std::pair<std::string, std::vector<Rank>>>{{"torus", {8}},
                                                              {"torus", {7}},
                                                              {"torus", {2, 4}},
                                                              {"mesh", {3, 4}},
                                                              {"hx2mesh", {4, 4}},
                                                              {"fat-tree:radix=4,taper=3", {8}}})
    for (const std::string_view algorithm : {"swing", "recursive-doubling", "bucket", "generalized"}) {
      Request request{.shape = shape};
      if (refusal(*find_algorithm(algorithm), request)) continue;
      const Network network = network_of(topology, shape);
      const SchedulePtr schedule = made(algorithm, shape);
      const auto model = cost(*schedule, network, {}, {});
      REQUIRE(model);
      for (const double bytes : {32.0, 1e4, 1e7}) {
        INFO(topology << " " << algorithm << " " << bytes);
        CHECK(model->time(bytes) == Approx(reference_time(*schedule, network, bytes)));
      }
    }
}

TEST_CASE("a ring takes 2(p-1) times a neighbour's latency and a block's transfer, waiting or not") {
  const Network network = network_of("torus", {9});
  const SchedulePtr ring = made("ring", {9});
  const double bytes = 9e6;
  const double expected = 16 * (400 + bytes / 9 * 8 / 400);
  CHECK(cost(*ring, network, {}, {})->time(bytes) == Approx(expected));
  CHECK(*simulate(*ring, network, {}, {}, bytes) == Approx(expected));
}

TEST_CASE("overheads and reductions add to every step") {
  const Network network = network_of("torus", {4});
  const SchedulePtr ring = made("ring", {4});
  const double plain = cost(*ring, network, {}, {})->time(4000);
  const RankSpeeds slow{.overhead = 50, .reduction = 2};
  CHECK(cost(*ring, network, {}, slow)->time(4000) == Approx(plain + 6 * 50 + 3 * 2 * 1000));
  CHECK(*simulate(*ring, network, {}, slow, 4000) == Approx(plain + 6 * 50 + 3 * 2 * 1000));
}

TEST_CASE("what stays on its rank takes no time, except to be added") {
  const Network network = network_of("full", {2});
  PlainSchedule exchange{.header = {.ranks = 2, .blocks = 1, .scratch = 2},
                         .steps = {{{0, 1, {0}, Op::reduce}, {1, 0, {0}, Op::reduce}}}};
  const RankSpeeds slow{.overhead = 50, .reduction = 2};
  auto times = [&](const PlainSchedule& plain) {
    const SchedulePtr schedule = listed(plain);
    const double waiting = cost(*schedule, network, {}, slow)->time(1000);
    CHECK(*simulate(*schedule, network, {}, slow, 1000) == Approx(waiting));
    return waiting;
  };
  const double before = times(exchange);
  const auto contention_before = contention(*listed(exchange), network, {});
  PlainSchedule kept = exchange;
  kept.steps.insert(kept.steps.begin(), {{0, 0, {0, 0}, Op::copy, {1, 2}}, {1, 1, {0}, Op::copy, {1}}});
  CHECK(times(kept) == Approx(before));
  const auto contention_kept = contention(*listed(kept), network, {});
  CHECK(contention_kept->message_steps == 1);
  CHECK(contention_kept->deficiencies->latency == contention_before->deficiencies->latency);
  CHECK(contention_kept->deficiencies->bandwidth == contention_before->deficiencies->bandwidth);
  CHECK(contention_kept->steps.front().messages == 0);
  PlainSchedule added = kept;
  added.steps.push_back({{0, 0, {1}, Op::reduce, {2}}});
  CHECK(times(added) == Approx(before + 2 * 1000));
  PlainSchedule twice = kept;
  twice.steps[1][0] = {0, 1, {0, 0}, Op::reduce, {0, 1}};
  CHECK(times(twice) == Approx(before + 2 * 1000));
  kept.steps[0][0].into = {0, 2};
  CHECK_FALSE(cost(*listed(kept), network, {}, slow).has_value());
}

TEST_CASE("a rank with more messages than ports sends them in turns") {
  PlainSchedule star{.header = {.ranks = 5, .blocks = 5}, .steps = {{}}};
  for (Rank r = 1; r < 5; ++r) star.steps[0].push_back({0, r, {0}, Op::reduce});
  Network network = network_of("full", {5});
  auto time = [&] { return cost(*listed(star), network, {}, {.overhead = 100})->time(0); };
  CHECK(time() == Approx(400 + 400));
  network.use_ports(2);
  CHECK(time() == Approx(200 + 400));
  CHECK(*simulate(*listed(star), network, {}, {.overhead = 100}, 0) == Approx(200 + 400));
}

TEST_CASE("ranks that needn't wait for all go on: a chain beside a long step") {
  // Ranks 2 and 3 exchange a large block while 0 and 1 do two small steps.
  PlainSchedule schedule{.header = {.ranks = 4, .blocks = 12}, .steps = {{}, {}}};
  schedule.steps[0] = {{0, 1, {0}, Op::reduce}, {2, 3, {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, Op::reduce}};
  schedule.steps[1] = {{1, 0, {0}, Op::copy}, {0, 1, {1}, Op::reduce}};
  const Network network = network_of("full", {4});
  const double block = 400 * 1000 / 8.0;  // bytes that take 1000 ns
  CHECK(cost(*listed(schedule), network, {}, {})->time(12 * block) == Approx(400 + 10000 + 400 + 1000));
  CHECK(*simulate(*listed(schedule), network, {}, {}, 12 * block) == Approx(400 + 10000));
}

TEST_CASE("flows that share a link pass one after the other, in the order in which they come to it") {
  // On a line of links 0 -> 1 -> 2, rank 0 sends to 2 and rank 1 to 2.
  PlainSchedule schedule{.header = {.ranks = 4, .blocks = 2}, .steps = {{}}};
  schedule.steps[0] = {{0, 2, {0}, Op::reduce}, {1, 2, {1}, Op::reduce}};
  const Network network = network_of("mesh", {4});
  const double block = 400 * 1000 / 8.0;
  // Rank 1's flow holds the link from 0 to 1000; rank 0's head comes at 400 and its flow is through at 2000.
  CHECK(*simulate(*listed(schedule), network, {}, {}, 2 * block) == Approx(2400));
}

TEST_CASE("an exchange over a half-duplex link takes twice as long, waiting or not") {
  const auto schedule = find_algorithm("recursive-doubling")->make({.shape = {2}});
  std::vector<double> times;
  for (const std::string topology : {"mesh", "mesh:duplex=half"}) {
    const Network network = network_of(topology, {2});
    const double latency = network.link(0).latency;
    times.push_back(cost(*schedule, network, {}, {})->time(1e6) - latency);
    CHECK(*simulate(*schedule, network, {}, {}, 1e6) - latency == Approx(times.back()));
  }
  CHECK(times[1] == Approx(2 * times[0]));
}

TEST_CASE("simulations agree with synchronous steps where nothing is shared and all do the same") {
  for (const auto& [algorithm, shape] : std::vector<std::pair<std::string_view, std::vector<Rank>>>{
           {"bucket", {4, 4}}, {"bucket", {5, 5}}, {"hamiltonian-ring", {8, 8}}, {"swing", {4, 4}}}) {
    const Network network = network_of("torus", shape);
    const SchedulePtr schedule = made(algorithm, shape, true);
    for (const double bytes : {100.0, 1e6})
      CHECK(*simulate(*schedule, network, {}, {}, bytes) == Approx(cost(*schedule, network, {}, {})->time(bytes)));
  }
}

TEST_CASE("nothing is faster than what a rank's ports and its reduction allow, on any network and in either mode") {
  for (const auto& [topology, shape] : every_topology({4, 4}))
    for (const Algorithm& row : catalogue()) {
      Request request{.collective = Collective::allreduce, .shape = shape};
      request.all_lanes = row.has_lanes;
      if (refusal(row, request) || row.as_printed) continue;
      const Network network = network_of(topology, shape);
      const SchedulePtr schedule = row.make(request);
      const double bytes = 1e6;
      const double sent = *least_vectors(Collective::allreduce, 16) * bytes * 8 / (network.ports() * 400);
      const RankSpeeds slow{.overhead = 0, .reduction = 1};
      INFO(row.name << " " << topology);
      CHECK(*simulate(*schedule, network, {}, {}, bytes) >= sent * (1 - 1e-9));
      CHECK(cost(*schedule, network, {}, {})->time(bytes) >= sent * (1 - 1e-9));
      CHECK(*simulate(*schedule, network, {}, slow, bytes) >= 15.0 / 16 * bytes);
      CHECK(cost(*schedule, network, {}, slow)->time(bytes) >= 15.0 / 16 * bytes);
    }
}

TEST_CASE("simulations of many sizes side by side are those of each size alone") {
  const Network network = network_of("torus", {4, 4});
  const SchedulePtr schedule = made("bucket", {4, 4}, true);
  const std::vector<double> sizes{32, 1e3, 1e5, 1e6, 1e8};
  const auto times = simulate_each(*schedule, network, {.threads = 3}, {}, sizes);
  REQUIRE(times);
  REQUIRE(times->size() == sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) CHECK((*times)[k] == *simulate(*schedule, network, {}, {}, sizes[k]));
  CHECK_FALSE(simulate_each(*schedule, network, {.budget = 10}, {}, sizes));
}

TEST_CASE("a simulation's budget runs out") {
  const auto poor = simulate(*made("swing", {8}), network_of("torus", {8}), {.budget = 10}, {}, 100);
  REQUIRE_FALSE(poor);
  CHECK(poor.error().kind == Unroutable::Kind::exhausted);
}

TEST_CASE("the papers' formulas have the values that they should") {
  CHECK(swing_congestion_limit(2) == Approx(6.0 / 5));
  CHECK(swing_congestion_limit(3) == Approx(28.0 / 27));
  CHECK(swing_congestion_limit(4) == Approx(120.0 / 119));
  CHECK(swing_equation_3({2, 4}) == Approx(0.0833).margin(1e-4));
  CHECK(jain_sabharwal(Collective::allreduce, {8, 8})->cost ==
        Approx(jain_sabharwal(Collective::allreduce, {8, 8})->lower));
  CHECK(jain_sabharwal(Collective::reduce_scatter, {2, 3, 4})->cost == Approx(7.0 / 32));
  CHECK(kolmakov_zhang(7, 0).steps == 6);
  CHECK(kolmakov_zhang(7, 0).sent == 12);
  CHECK(kolmakov_zhang(7, 1).sent == 14);
  CHECK(kolmakov_zhang(7, 3).sent == 21);
  CHECK_FALSE(swing_table_2("swing", {8, 4}, false));
  CHECK_FALSE(swing_table_2("pat", {8, 8}, false));
}

TEST_CASE("what rectangles add to Swing is measured: equation (3) is low") {
  const auto c = contention(*made("swing", {2, 4}, true), network_of("torus", {2, 4}), {});
  CHECK(swing_second_phase(*c, {2, 4}, made("swing", {2, 4}, true)->header().blocks) == Approx(0.25));
}

TEST_CASE("bucket's phases take what Jain and Sabharwal's equation (2) bounds: exact in two dimensions") {
  auto by_phases = [](const std::vector<Rank>& shape) {
    const SchedulePtr schedule = made("bucket", shape, true);
    const Network network = network_of("torus", shape);
    const int phase = *std::max_element(shape.begin(), shape.end()) - 1;
    Rational sum = 0;
    for (int s = 0; s < schedule->steps(); s += phase)
      sum += *busiest(*schedule, network, Routing::minimal, s, s + phase);
    return static_cast<double>(sum) / schedule->header().blocks;
  };
  CHECK(by_phases({4, 8}) == Approx(jain_sabharwal(Collective::allreduce, {4, 8})->cost));
  CHECK(by_phases({3, 7}) == Approx(jain_sabharwal(Collective::allreduce, {3, 7})->cost));
  CHECK(by_phases({2, 3, 4}) == Approx(2 * 29.0 / 144));
  CHECK(by_phases({2, 3, 4}) < jain_sabharwal(Collective::allreduce, {2, 3, 4})->cost);
}

TEST_CASE("bucket's spread messages load links as equation (2) says and whole ones load them more") {
  auto by_steps = [](const std::vector<Rank>& shape, const std::string& waiting) {
    const SchedulePtr schedule =
        find_algorithm("bucket")->make({Collective::allreduce, shape, true, {{"waiting", waiting}}});
    const Network network = network_of("torus", shape);
    Rational sum = 0;
    for (int s = 0; s < schedule->steps(); ++s) sum += *busiest(*schedule, network, Routing::minimal, s, s + 1);
    return static_cast<double>(sum) / schedule->header().blocks;
  };
  for (const std::vector<Rank>& shape : {std::vector<Rank>{2, 4}, {4, 8}, {3, 7}, {9, 5}, {16, 4}}) {
    const double cost = jain_sabharwal(Collective::allreduce, shape)->cost;
    CHECK(by_steps(shape, "spread") == Approx(cost));
    CHECK(by_steps(shape, "yes") > cost * 1.05);
  }
  CHECK(by_steps({2, 3, 4}, "spread") == Approx(2 * 29.0 / 144));
}

}  // namespace cost_test
