#include <catch2/catch.hpp>
#include <set>

#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"

namespace ring_test {

using namespace onceover::support;

TEST_CASE("ring: 2(p-1) steps, one block to the right neighbour at each (Swing paper, section 2.3.1)") {
  const Algorithm& ring = *find_algorithm("ring");
  for (Rank p = 2; p <= 40; ++p) {
    const SchedulePtr schedule = ring.make(on_line(Collective::allreduce, p));
    const Metrics m = verify(*schedule).metrics;
    REQUIRE(m.steps == 2 * (p - 1));
    REQUIRE(m.messages == static_cast<std::uint64_t>(2 * p * (p - 1)));
    REQUIRE(m.block_transfers == m.messages);
    REQUIRE(m.blocks_sent_min == static_cast<std::uint64_t>(2 * (p - 1)));
    REQUIRE(m.blocks_sent_max == m.blocks_sent_min);
    REQUIRE(m.max_sends_per_rank_step == 1);
    const PlainSchedule reduce_scatter = plain(*ring.make(on_line(Collective::reduce_scatter, p)));
    for (const auto& t : reduce_scatter.steps.front()) {
      REQUIRE(t.dst == (t.src + 1) % p);
      REQUIRE(t.blocks == std::vector<Block>{(t.src - 1 + p) % p});
    }
  }
}

TEST_CASE("ring by turns: in no step does a rank send and receive, in two turns for even p and three for odd") {
  const Algorithm& ring = *find_algorithm("ring");
  for (Rank p = 1; p <= 40; ++p)
    for (const Collective collective : ring.collectives) {
      Request request = on_line(collective, p);
      const int together = ring.make(request)->steps();
      request.settings = {{"order", "even-odd"}};
      const SchedulePtr schedule = ring.make(request);
      CAPTURE(p, name(collective));
      REQUIRE(schedule->steps() == (p % 2 == 0 ? 2 : 3) * together);
      for (const auto& step : plain(*schedule).steps) {
        std::set<Rank> busy;
        for (const auto& t : step) REQUIRE((busy.insert(t.src).second && busy.insert(t.dst).second));
        REQUIRE_FALSE(step.empty());
      }
    }
}

}  // namespace ring_test
