#include "network/pinned_routes.h"

#include <catch2/catch.hpp>
#include <memory>

#include "network/contention.h"
#include "network/cost.h"
#include "network/network_file.h"
#include "network/simulation.h"
#include "schedules/listed_schedule.h"

namespace pinned_routes_test {

using namespace onceover::network;
using Catch::Matchers::Contains;

namespace {

/// Two hosts of two ranks; each host has two cards, at 100 Gb/s, on one switch.
constexpr std::string_view cards = R"(graph {
  0 -- pcie0 [bandwidth=400]; 1 -- pcie0 [bandwidth=400]; 2 -- pcie1 [bandwidth=400]; 3 -- pcie1 [bandwidth=400]
  pcie0 -- nicA0 [bandwidth=100]; pcie0 -- nicB0 [bandwidth=100]
  pcie1 -- nicA1 [bandwidth=100]; pcie1 -- nicB1 [bandwidth=100]
  nicA0 -- top [bandwidth=100]; nicB0 -- top [bandwidth=100]
  nicA1 -- top [bandwidth=100]; nicB1 -- top [bandwidth=100]
})";

Network cards_network() {
  return *read_network(cards, "cards.dot", {});
}

/// Two lanes, a block each: rank 0 sends to rank 2.
SchedulePtr two_lanes() {
  Header header;
  header.collective = Collective::broadcast;
  header.ranks = 4;
  header.blocks = 2;
  header.lanes = 2;
  ListedSchedule::Builder builder;
  builder.begin_step();
  for (const Block block : {0, 1}) builder.add(0, 2, std::vector{Run{block, block}}, Op::copy, block);
  return std::make_shared<ListedSchedule>(header, std::move(builder));
}

Network pinned(std::string_view rules, int lanes = 2) {
  Network network = cards_network();
  auto read = read_pinned_routes(rules, "ways.txt", network, lanes);
  if (!read) FAIL(read.error().render());
  network.pin(std::make_shared<const PinnedRoutes>(std::move(*read)));
  return network;
}

/// The blocks on the most loaded link of the cards, and on those of the other card.
std::pair<Rational, Rational> loads_of_cards(const Network& network) {
  const auto measured = contention(*two_lanes(), network, {});
  Rational a = 0, b = 0;
  for (Link l = 0; l < network.link_count(); ++l) {
    if (network.link_text(l) == "pcie0 -> nicA0") a = measured->total.load(l);
    if (network.link_text(l) == "pcie0 -> nicB0") b = measured->total.load(l);
  }
  return {a, b};
}

std::string refusal(std::string_view rules, const Network& network = cards_network()) {
  const auto read = read_pinned_routes(rules, "ways.txt", network, 2);
  return read ? "" : read.error().render();
}

}  // namespace

TEST_CASE("without rules a flow is split over both cards, and with them a lane takes the card it is told") {
  CHECK(loads_of_cards(cards_network()) == std::pair(Rational(1), Rational(1)));
  CHECK(loads_of_cards(pinned("lane 0 avoids nicB0 nicB1\nlane 1 avoids nicA0 nicA1\n")) ==
        std::pair(Rational(1), Rational(1)));
  CHECK(loads_of_cards(pinned("lane 0 avoids nicB0 nicB1\nlane 1 avoids nicB0 nicB1  # both on one card")) ==
        std::pair(Rational(2), Rational(0)));
  CHECK(loads_of_cards(pinned("lane 1 avoids nicB0")) == std::pair(Rational(3, 2), Rational(1, 2)));
}

TEST_CASE("a message takes the nodes that a rule names, in its lane or in every one") {
  CHECK(loads_of_cards(pinned("0 -> 2 takes pcie0 nicB0 top nicA1 pcie1")) == std::pair(Rational(0), Rational(2)));
  CHECK(loads_of_cards(pinned("lane 1, 0 -> 2 takes pcie0 nicA0 top nicA1 pcie1")) ==
        std::pair(Rational(3, 2), Rational(1, 2)));
  CHECK(loads_of_cards(pinned("0 -> 2 takes pcie0 nicB0 top nicA1 pcie1\nlane 1 avoids nicB0\n"
                              "lane 1, 0 -> 2 takes pcie0 nicA0 top nicA1 pcie1")) ==
        std::pair(Rational(1), Rational(1)));
}

TEST_CASE("two lanes on one card take twice the time of two cards") {
  const Network apart = pinned("lane 0 avoids nicB0 nicB1\nlane 1 avoids nicA0 nicA1");
  const Network together = pinned("lane 0 avoids nicB0 nicB1\nlane 1 avoids nicB0 nicB1");
  constexpr double bytes = 1e9;
  const auto synchronous = [&](const Network& network) { return cost(*two_lanes(), network, {}, {})->time(bytes); };
  const auto simulated = [&](const Network& network) { return *simulate(*two_lanes(), network, {}, {}, bytes); };
  CHECK(synchronous(together) == Approx(2 * synchronous(apart)).epsilon(0.001));
  // Rank 0's port, four times as fast as a card, takes the lanes one after the other: 10 ms, then 40 on each card.
  CHECK(simulated(apart) == Approx(50e6).epsilon(0.001));
  CHECK(simulated(together) == Approx(80e6).epsilon(0.001));
}

TEST_CASE("ways on a torus go from rank to rank, and its symmetry no longer counts") {
  const Network torus = *make_topology({.name = "torus", .settings = {}, .shape = {4}, .speeds = {}});
  Network other = torus;
  other.pin(std::make_shared<const PinnedRoutes>(*read_pinned_routes("0 -> 1 takes 3 2", "w", torus, 1)));
  Router router(other, Routing::minimal);
  CHECK(router.route(0, 1).route->hops == 3);
  CHECK(router.route(1, 0).route->hops == 1);
  CHECK_FALSE(other.treats_seats_alike());
  CHECK_THAT(refusal("lane 0 avoids 1", torus), Contains("w") && Contains("say its ways"));
}

TEST_CASE("switches of a topology are named between quotes") {
  const Network tree = *make_topology({.name = "fat-tree", .settings = {{"radix", "4"}}, .shape = {8}, .speeds = {}});
  CHECK(refusal("lane 0 avoids \"switch 5\"  # and not another", tree).empty());
  CHECK_THAT(refusal("lane 0 avoids \"switch 99\"", tree), Contains("1:16: ") && Contains("no node 'switch 99'"));
  CHECK_THAT(refusal("lane 0 avoids \"switch 5", tree), Contains("no node '\"switch'"));
}

TEST_CASE("rules that can't be followed are refused with their place") {
  CHECK_THAT(refusal(""), Contains("ways.txt:1:1: no rule"));
  CHECK_THAT(refusal("# nothing\n"), Contains("no rule"));
  CHECK_THAT(refusal("\nlane 2 avoids nicA0"),
             Contains("ways.txt:2:6: expected a lane of the schedule, from 0 to 1, found '2'"));
  CHECK_THAT(read_pinned_routes("lane 2 avoids nicA0", "w", cards_network(), 2, "swing").error().render(),
             Contains("expected a lane of swing, from 0 to 1, found '2'"));
  CHECK_THAT(refusal("lane 0"), Contains("found the end of the line"));
  CHECK_THAT(refusal("lane 0 avoids"), Contains("expected a node"));
  CHECK_THAT(refusal("lane 0 avoids nicC0"), Contains("1:15: cards.dot has no node 'nicC0'; did you mean"));
  CHECK_THAT(refusal("lane 0 avoids top"), Contains("can't reach rank"));
  CHECK_THAT(refusal("lane 0 avoids nicA0\nlane 0 avoids nicB0"), Contains("2:1: a second rule for lane 0"));
  CHECK_THAT(refusal("0 -> 4 takes top"), Contains("1:6: expected a rank from 0 to 3, found '4'"));
  CHECK_THAT(refusal("0 > 2 takes top"), Contains("expected '->', found '>'"));
  CHECK_THAT(refusal("0 -> 0 takes top"), Contains("sends itself no message"));
  CHECK_THAT(refusal("0 -> 2 takes pcie0 top"), Contains("1:20: no link from pcie0 to top"));
  CHECK_THAT(refusal("0 -> 2 takes pcie0 nicA0"), Contains("no link from nicA0 to rank 2"));
  CHECK_THAT(refusal("0 -> 2 takes pcie0 nicA0 pcie0"), Contains("comes to pcie0 twice"));
  CHECK_THAT(refusal("0 -> 1 takes pcie0 1 pcie0"), Contains("expected the end of the line"));
  CHECK_THAT(refusal("0 -> 1 takes pcie0\n0 -> 1 takes pcie0"), Contains("2:1: a second rule for the same messages"));
  CHECK_THAT(refusal("route 0 1"), Contains("expected 'lane', or a rank from 0 to 3, found 'route'"));
}

}  // namespace pinned_routes_test
