#include <catch2/catch.hpp>
#include <set>
#include <tuple>

#include "catalogue_schedules.h"
#include "namespaces.h"
#include "network/contention.h"
#include "network/cost.h"
#include "network/orbits.h"
#include "networks.h"

namespace link_orbits_test {

using namespace onceover::network;
using namespace onceover::support;

namespace {

/// The same schedule, written so that nobody sees its patterns: all its messages are followed.
class Unpatterned final : public Schedule {
 public:
  explicit Unpatterned(const Schedule& schedule) : Schedule(schedule.header()), schedule_(schedule) {}
  int steps() const override { return schedule_.steps(); }
  std::uint64_t block_transfers() const override { return schedule_.block_transfers(); }
  void visit_transfers(int step, const TransferVisitor& visit) const override {
    schedule_.visit_transfers(step, visit);
  }
  std::vector<int> alike() const override { return schedule_.alike(); }

 private:
  const Schedule& schedule_;
};

const std::vector<std::vector<Rank>> tori{{6}, {7}, {8}, {2, 4}, {4, 2}, {3, 3}, {4, 4}, {4, 6}, {1, 6}, {2, 3, 4}};

Rank orbits_on(const Schedule& schedule, const Network& network) {
  Rank orbits = 0;
  REQUIRE(follow(schedule, network, {.threads = 1},
                 [&](std::size_t, const StepFlows& flows) { orbits = flows.ranks.orbits(); }));
  return orbits;
}

auto all_of(const StepContention& s) {
  return std::tuple(s.kind.step, s.kind.times, s.messages, s.block_transfers, s.hottest, s.load, s.most_messages,
                    s.links_used, s.hops_max, s.hops_sum, s.free);
}

SchedulePtr swing(std::vector<Rank> shape) {
  Request request{.shape = std::move(shape)};
  request.all_lanes = true;
  return find_algorithm("swing")->make(request);
}

}  // namespace

TEST_CASE("one message of each orbit gives the loads and times of all messages, exactly") {
  int folded = 0;
  for (const std::vector<Rank>& shape : tori) {
    const Network network = network_of("torus", shape);
    for_each_schedule(shape, [&](const Schedule& schedule) {
      const Unpatterned whole(schedule);
      CHECK(orbits_on(whole, network) == network.ranks());
      folded += orbits_on(schedule, network) < network.ranks() ? 1 : 0;
      for (const Routing routing : {Routing::minimal, Routing::ecmp, Routing::dimension_order}) {
        const auto few = contention(schedule, network, {.routing = routing});
        const auto all = contention(whole, network, {.routing = routing});
        REQUIRE((few && all));
        REQUIRE(few->steps.size() == all->steps.size());
        for (std::size_t k = 0; k < all->steps.size(); ++k) CHECK(all_of(few->steps[k]) == all_of(all->steps[k]));
        CHECK(few->message_steps == all->message_steps);
        CHECK(few->total.used() == all->total.used());
        bool same = few->total.links() == network.link_count();
        for (Link l = 0; l < network.link_count(); ++l)
          same = same && few->total.load(l) == all->total.load(l) && few->total.messages(l) == all->total.messages(l);
        CHECK(same);
        const RankSpeeds slow{.overhead = 50, .reduction = 0.3};
        const auto time = cost(schedule, network, {.routing = routing}, slow);
        const auto whole_time = cost(whole, network, {.routing = routing}, slow);
        for (const double bytes : {32.0, 1e5, 1e8}) CHECK(time->time(bytes) == whole_time->time(bytes));
      }
    });
  }
  CHECK(folded > 100);
}

TEST_CASE("orbits of links are disjoint, of one size, ascending, and numbered by their first links") {
  const Network network = network_of("torus", {4, 6});
  const LinkOrbits orbits(*network.grid(), Translations({4, 6}, {2, 3}));
  CHECK(orbits.links() == network.link_count());
  CHECK(orbits.size() == 4);
  std::set<Link> seen;
  for (Link o = 0; o < orbits.count(); ++o)
    for (Link k = 0; k < orbits.size(); ++k) {
      const Link link = orbits.member(o, k);
      CHECK(orbits.of(link) == o);
      CHECK(seen.insert(link).second);
      if (k > 0) CHECK(orbits.member(o, k - 1) < link);
      if (k == 0 && o > 0) CHECK(orbits.member(o - 1, 0) < link);
    }
  CHECK(static_cast<Link>(seen.size()) == network.link_count());
}

TEST_CASE("Swing has few orbits on a torus, none on other networks, in other seats or with one odd message") {
  const SchedulePtr schedule = swing({4, 6});
  CHECK(orbits_on(*schedule, network_of("torus", {4, 6})) == 4);
  for (const std::string topology : {"mesh", "hyperx", "hx2mesh", "fat-tree", "dragonfly"})
    CHECK(orbits_on(*schedule, network_of(topology, {4, 6})) == 24);
  CHECK(orbits_on(*schedule, network_of("torus", {6, 4})) == 24);
  CHECK(orbits_on(*schedule, network_of("torus", {24})) == 24);

  Network seated = network_of("torus", {4, 6});
  std::vector<Node> seats(24);
  for (Node n = 0; n < 24; ++n) seats[static_cast<std::size_t>(n)] = n ^ 1;
  seated.place(seats);
  CHECK(orbits_on(*schedule, seated) == 24);

  const PatternedSchedule* patterns = schedule->as_patterns();
  PatternedSchedule::Builder plan;
  for (int s = 0; s < schedule->steps(); ++s) {
    plan.begin_step();
    for (Pattern& pattern : patterns->patterns(s)) plan.add(std::move(pattern));
  }
  Pattern odd = patterns->patterns(0).front();
  odd.axes.front().indices.count = 1;
  odd.axes.back().indices.count = 1;
  plan.add(1, odd);
  CHECK(orbits_on(PatternedSchedule(schedule->header(), std::move(plan)), network_of("torus", {4, 6})) == 24);
}

TEST_CASE("a line whose links differ is not turned") {
  Network torus = network_of("torus", {6});
  Line line = torus.grid()->lines[0];
  line.links[3].bandwidth /= 2;
  const Network slow("a slow link", std::vector<Line>{line}, 2);
  CHECK(LinkOrbits::kept_by(torus, Translations({6}, {2})).orbits() == 2);
  CHECK(LinkOrbits::kept_by(slow, Translations({6}, {2})).orbits() == 6);
}

}  // namespace link_orbits_test
