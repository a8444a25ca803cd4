#include "network/contention.h"

#include <catch2/catch.hpp>

#include "catalogue_schedules.h"
#include "networks.h"
#include "papers/papers.h"
#include "plain_schedule.h"
#include "reference_router.h"
#include "schedules/catalogue.h"

namespace contention_test {

using namespace onceover::papers;
using namespace onceover::support;

namespace {

SchedulePtr made(std::string_view algorithm, std::vector<Rank> shape, bool all_lanes = false,
                 Collective collective = Collective::allreduce) {
  Request request{.collective = collective, .shape = std::move(shape)};
  request.all_lanes = all_lanes;
  const Algorithm* row = find_algorithm(algorithm);
  REQUIRE(row);
  REQUIRE_FALSE(refusal(*row, request));
  return row->make(request);
}

Contention measured(const Schedule& schedule, const Network& network, Routing routing = Routing::minimal) {
  auto result = contention(schedule, network, {.routing = routing});
  REQUIRE(result);
  return std::move(*result);
}

const StepContention& step_of(const Contention& c, int step) {
  for (const StepContention& s : c.steps)
    if (s.kind.step == step) return s;
  FAIL("step " << step << " is like an earlier one");
  return c.steps.front();
}

}  // namespace

TEST_CASE("loads of every algorithm on every small topology are the reference router's") {
  const std::vector<NamedNetwork> others{{"torus", {6}},     {"torus", {7}},    {"torus", {8}},
                                         {"torus", {2, 4}},  {"torus", {3, 3}}, {"torus", {2, 2, 2}},
                                         {"mesh", {8}},      {"mesh", {2, 4}},  {"fat-tree:radix=4", {8}},
                                         {"dragonfly", {8}}, {"full", {7}}};
  for (const auto& [topology, shape] : every_topology({4, 4}, others)) {
    const Network network = network_of(topology, shape);
    for_each_schedule(shape, [&](const Schedule& schedule) {
      INFO(network.name());
      const Contention c = measured(schedule, network);
      std::map<Link, Rational> total;
      int steps = 0;
      for (const StepContention& s : c.steps) {
        const auto loads = reference_loads(schedule, network, s.kind.step);
        Rational most = 0;
        for (const auto& [link, load] : loads) {
          total[link] += load * s.kind.times;
          most = std::max(most, load);
        }
        CHECK(s.load == most);
        CHECK(s.links_used == static_cast<Link>(loads.size()));
        steps += s.kind.times;
      }
      CHECK(steps == schedule.steps());
      bool all_agree = true;
      for (Link l = 0; l < network.link_count(); ++l) all_agree = all_agree && c.total.load(l) == total[l];
      CHECK(all_agree);
    });
  }
}

TEST_CASE("steps that are said to be alike have the same messages") {
  for (const std::vector<Rank>& shape :
       std::vector<std::vector<Rank>>{{6}, {7}, {8}, {12}, {2, 4}, {3, 5}, {4, 4}, {9, 3}, {2, 2, 3}})
    for_each_schedule(shape, [&](const Schedule& schedule) {
      const std::vector<int> like = schedule.alike();
      REQUIRE(static_cast<int>(like.size()) == schedule.steps());
      std::vector<Transfer> first;
      std::vector<Transfer> later;
      for (int s = 0; s < schedule.steps(); ++s) {
        REQUIRE(like[static_cast<std::size_t>(s)] <= s);
        schedule.transfers(like[static_cast<std::size_t>(s)], first);
        schedule.transfers(s, later);
        REQUIRE(first.size() == later.size());
        for (std::size_t k = 0; k < first.size(); ++k) {
          CHECK(first[k].src == later[k].src);
          CHECK(first[k].dst == later[k].dst);
          CHECK(first[k].blocks.size() == later[k].blocks.size());
          CHECK(first[k].op == later[k].op);
          CHECK(first[k].lane == later[k].lane);
        }
      }
    });
  CHECK(step_kinds(*made("ring", {64})).size() == 2);
  CHECK(step_kinds(*made("hamiltonian-ring", {8, 8}, true)).size() == 2);
}

TEST_CASE(
    "figure 1: in the third step on 16 ranks two of Swing's messages share a link, four of recursive doubling's") {
  const Network network = network_of("torus", {16});
  const Contention swing = measured(*made("swing", {16}), network);
  const Contention doubling = measured(*made("rabenseifner", {16}), network);
  CHECK(step_of(swing, 0).most_messages == 1);
  CHECK(step_of(swing, 1).most_messages == 1);
  CHECK(step_of(swing, 2).most_messages == 2);
  CHECK(step_of(doubling, 0).most_messages == 1);
  CHECK(step_of(doubling, 1).most_messages == 2);
  CHECK(step_of(doubling, 2).most_messages == 4);
  CHECK(step_of(swing, 2).hops_max == 3);
  CHECK(step_of(doubling, 2).hops_max == 4);
  const auto shared =
      crossings(*made("rabenseifner", {16}), network, Routing::minimal, 1, step_of(doubling, 1).hottest);
  CHECK(network.link_text(step_of(doubling, 1).hottest) == "rank 1 -> rank 2");
  REQUIRE(shared.size() == 2);
  CHECK(shared[0].src == 0);
  CHECK(shared[0].dst == 2);
  CHECK(shared[1].src == 1);
  CHECK(shared[1].dst == 3);
}

TEST_CASE("figure 5: in Swing's first step on a 4x4 torus all four lanes have links of their own") {
  const Network network = network_of("torus", {4, 4});
  const Contention c = measured(*made("swing", {4, 4}, true), network);
  CHECK(step_of(c, 0).most_messages == 1);
  CHECK(step_of(c, 0).links_used == 64);
}

TEST_CASE("figure 6: in the last step on a 2x4 torus all lanes use the longer dimension, two messages a link") {
  const Network network = network_of("torus", {2, 4});
  const Contention c = measured(*made("swing", {2, 4}, true), network);
  CHECK(step_of(c, 2).most_messages == 2);
  CHECK(step_of(c, 2).links_used == 16);  // those along the rows of four
  for (const Crossing& x : crossings(*made("swing", {2, 4}, true), network, Routing::minimal, 2, step_of(c, 2).hottest))
    CHECK(x.src / 4 == x.dst / 4);
}

TEST_CASE("figure 10: on a 2x4 torus the lanes that start on the shorter dimension wait for those on the longer one") {
  const Network network = network_of("torus", {2, 4});
  const SchedulePtr schedule = made("bucket", {2, 4}, true);
  const Contention c = measured(*schedule, network);
  CHECK(step_of(c, 0).links_used == 32);
  CHECK(step_of(c, 1).links_used == 16);  // the vertical rings are through, the others go on alone
  CHECK(schedule->steps() == 2 * 2 * (4 - 1));
}

TEST_CASE("deficiencies of table 2 are measured") {
  auto deficiencies = [](std::string_view algorithm, std::vector<Rank> shape, bool lanes) {
    const Network network = network_of("torus", shape);
    return *measured(*made(algorithm, std::move(shape), lanes), network).deficiencies;
  };
  for (const std::vector<Rank>& shape : std::vector<std::vector<Rank>>{{8, 8}, {16, 16}, {4, 4, 4}, {8, 8, 8}}) {
    const double d = static_cast<double>(shape.size());
    const Deficiencies swing = deficiencies("swing", shape, true);
    CHECK(swing.latency == Approx(2));
    CHECK(swing.bandwidth == Approx(1));
    CHECK(swing.congestion <= swing_congestion_limit(static_cast<int>(shape.size())) + 1e-9);
    CHECK(deficiencies("rabenseifner", shape, false).bandwidth == Approx(2 * d));
    CHECK(deficiencies("bucket", shape, true).bandwidth == Approx(1));
    CHECK(deficiencies("bucket", shape, true).congestion == Approx(1));
  }
  for (const std::vector<Rank>& shape : std::vector<std::vector<Rank>>{{9, 3}, {2, 2}, {4, 2}, {2, 6}}) {
    const Deficiencies ring = deficiencies("hamiltonian-ring", shape, true);
    CHECK(ring.bandwidth == Approx(1));
    CHECK(ring.congestion == Approx(1));
  }
  CHECK(deficiencies("swing", {64, 64}, true).congestion == Approx(1.1846).margin(1e-4));
  CHECK(deficiencies("swing", {128, 128}, true).congestion == Approx(1.1923).margin(1e-4));
  CHECK(deficiencies("swing", {6}, false).latency == Approx(2.32).margin(0.01));
}

TEST_CASE("Hamiltonian rings use every link of a torus alike, where a side of 2 has two and on a mesh one") {
  const SchedulePtr rings = made("hamiltonian-ring", {4, 2}, true);
  const Contention torus = measured(*rings, network_of("torus", {4, 2}));
  for (const StepContention& step : torus.steps) {
    CHECK(step.load == 1);
    CHECK(step.links_used == 32);
  }
  CHECK(measured(*rings, network_of("mesh", {4, 2})).steps.front().load == 2);
}

TEST_CASE("Swing has no congestion on a HyperX") {
  const Contention c = measured(*made("swing", {16, 16}, true), network_of("hyperx", {16, 16}));
  CHECK(c.deficiencies->congestion == Approx(1));
}

TEST_CASE("routing along one path differs from even splitting only half-way around a ring") {
  const Network network = network_of("torus", {8});
  const SchedulePtr doubling = made("recursive-doubling", {8});
  CHECK(step_of(measured(*doubling, network), 2).load == 2);
  CHECK(step_of(measured(*doubling, network, Routing::dimension_order), 2).load == 4);
}

TEST_CASE("one rank sends nothing and has no deficiencies") {
  const Contention c = measured(*made("swing", {1}), network_of("torus", {1}));
  CHECK(c.steps.empty());
  CHECK_FALSE(c.deficiencies);
}

TEST_CASE("schedules that are not well-formed are refused, and budgets run out") {
  PlainSchedule wrong{.header = {.ranks = 4, .blocks = 1}, .steps = {{{0, 9, {0}, Op::reduce}}}};
  const auto refused = contention(*listed(wrong), network_of("torus", {4}), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == Unroutable::Kind::ill_formed);
  CHECK(refused.error().text == "step 0: the transfer from rank 0 to rank 9 is not well-formed; 'verify' says why");
  const auto poor = contention(*made("swing", {8}), network_of("torus", {8}), {.budget = 10});
  REQUIRE_FALSE(poor);
  CHECK(poor.error().kind == Unroutable::Kind::exhausted);
}

TEST_CASE("loads of several steps together are the sum of theirs") {
  const Network network = network_of("torus", {2, 4});
  const SchedulePtr schedule = made("bucket", {2, 4}, true);
  for (int end = 1; end <= schedule->steps(); ++end) {
    std::map<Link, Rational> sum;
    for (int s = 0; s < end; ++s)
      for (const auto& [link, load] : reference_loads(*schedule, network, s)) sum[link] += load;
    Rational most = 0;
    for (const auto& [link, load] : sum) most = std::max(most, load);
    CHECK(*busiest(*schedule, network, Routing::minimal, 0, end) == most);
  }
}

TEST_CASE("a half-duplex link carries what goes either way") {
  for (const auto& [topology, shape] : std::vector<std::pair<std::string, std::vector<Rank>>>{
           {"torus", {2, 4}}, {"torus", {7}}, {"hx2mesh", {4, 4}}, {"fat-tree:radix=4,taper=2", {8}}}) {
    const Network full = network_of(topology, shape);
    const Network half =
        network_of(topology + (topology.find(':') == std::string::npos ? ":" : ",") + "duplex=half", shape);
    CAPTURE(half.name());
    for (const std::string_view algorithm : {"swing", "ring", "rabenseifner"}) {
      if (refusal(*find_algorithm(algorithm), {.shape = shape})) continue;
      const auto schedule = made(algorithm, shape);
      for (int step = 0; step < schedule->steps(); ++step) {
        const auto each = loads_of(*schedule, full, Routing::minimal, step, step + 1);
        const auto both = loads_of(*schedule, half, Routing::minimal, step, step + 1);
        REQUIRE((each && both));
        for (Link l = 0; l < half.link_count(); ++l) {
          const Link back = half.reverse_link(l);
          REQUIRE(back >= 0);
          CHECK(half.reverse_link(back) == l);
          CHECK((half.link(l).from == half.link(back).to && half.link(l).to == half.link(back).from));
          CHECK(both->load(l) == each->load(l) + each->load(back));
        }
      }
      const Contention c = measured(*schedule, half);
      for (const StepContention& s : c.steps) {
        const auto loads = loads_of(*schedule, half, Routing::minimal, s.kind.step, s.kind.step + 1);
        CHECK(s.load == loads->load(loads->hottest(half)));
      }
    }
  }
}

TEST_CASE("link loads stay exact as denominators grow, and say when they no longer can") {
  const Network network("one link", 2, 2, 1, {{0, 1, 1, 0}});
  LinkLoads loads(1);
  Rational sum = 0;
  for (std::uint64_t parts = 1; parts <= 40; ++parts) {
    Route route{.shares = {{0, 0, 1}}, .parts = parts};
    REQUIRE(loads.add(network, {&route}, 3));
    sum += Rational(3, parts);
    CHECK(loads.nearest_load(0) == static_cast<double>(loads.load(0)));
  }
  CHECK(loads.load(0) == sum);
  CHECK(loads.messages(0) == 40);
  Route large{.shares = {{0, 0, 1}}, .parts = 18446744073709551557ULL};  // the largest prime below 2^64
  Route other{.shares = {{0, 0, 1}}, .parts = 18446744073709551533ULL};
  CHECK_FALSE((loads.add(network, {&large}, 1) && loads.add(network, {&other}, 1)));
}

}  // namespace contention_test
