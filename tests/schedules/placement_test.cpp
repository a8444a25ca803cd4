// Kolmakov and Zhang's placement h, which is free: right for every permutation of up to six ranks.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "plain_schedule.h"
#include "reference_engine.h"
#include "schedules/catalogue.h"
#include "schedules/listed_schedule.h"
#include "schedules/numbers.h"
#include "verifier/verify.h"

namespace placement_test {

using namespace onceover::support;

namespace {

const Algorithm& row = *find_algorithm("generalized");

Request placed(Collective collective, Rank p, const std::string& placement, int removed = 0) {
  Request request{.collective = collective, .shape = {p}, .settings = {{"placement", placement}}};
  if (removed > 0) request.settings["removed-steps"] = std::to_string(removed);
  return request;
}

/// The schedule in which block h[i] does what block i does here, of which rank h[i] is the owner.
PlainSchedule as_natural(PlainSchedule schedule, const std::vector<Rank>& h) {
  const Block blocks = schedule.header.blocks;
  auto name = [&](Block b) {
    return b < blocks ? h[static_cast<std::size_t>(b)] : blocks + h[static_cast<std::size_t>(b - blocks)];
  };
  for (auto& step : schedule.steps)
    for (PlainTransfer& t : step) {
      std::vector<std::pair<Block, Block>> moves;
      for (std::size_t k = 0; k < t.blocks.size(); ++k) moves.emplace_back(name(t.blocks[k]), name(t.landing(k)));
      std::sort(moves.begin(), moves.end());
      for (std::size_t k = 0; k < moves.size(); ++k) {
        t.blocks[k] = moves[k].first;
        if (!t.into.empty()) t.into[k] = moves[k].second;
      }
    }
  return schedule;
}

/// With the blocks of each message in ascending order.
PlainSchedule sorted(const Schedule& schedule) {
  std::vector<Rank> same(static_cast<std::size_t>(schedule.header().blocks));
  std::iota(same.begin(), same.end(), 0);
  return as_natural(plain(schedule), same);
}

void require_right(const Request& request, const std::vector<Rank>& h) {
  REQUIRE(refusal(row, request).value_or("") == "");
  const SchedulePtr schedule = row.make(request);
  REQUIRE(schedule->header().owners == h);
  REQUIRE(reference::execute(*schedule).exactly_once);
  REQUIRE(verify(*schedule).verdict == Verdict::pass);
  Request natural = request;
  natural.settings.erase("placement");
  REQUIRE(as_natural(plain(*schedule), h).steps == sorted(*row.make(natural)).steps);
}

}  // namespace

TEST_CASE("every placement of up to six blocks is right, and only renames them") {
  int tried = 0;
  for (Rank p = 1; p <= 6; ++p) {
    std::vector<Rank> h(static_cast<std::size_t>(p));
    std::iota(h.begin(), h.end(), 0);
    do {
      const std::string placement = fmt::format("{}", fmt::join(h, ","));
      CAPTURE(placement);
      for (const Collective collective : {Collective::reduce_scatter, Collective::allgather})
        require_right(placed(collective, p, placement), h);
      for (int removed = 0; removed <= ceil_log2(p); ++removed, ++tried)
        require_right(placed(Collective::allreduce, p, placement, removed), h);
    } while (std::next_permutation(h.begin(), h.end()));
  }
  CHECK(tried == 1 + 2 * 2 + 6 * 3 + 24 * 3 + 120 * 4 + 720 * 4);
}

TEST_CASE("a reduce-scatter whose blocks go to other owners than the placement's is wrong") {
  PlainSchedule schedule = plain(*row.make(placed(Collective::reduce_scatter, 4, "2,0,1,3")));
  schedule.header.owners = {2, 0, 3, 1};
  CHECK(verify(*listed(schedule)).verdict == Verdict::fail);
}

TEST_CASE("a placement is natural, reversed, or each rank once") {
  CHECK(row.make(placed(Collective::allgather, 5, "reversed"))->header().owners == std::vector<Rank>{4, 3, 2, 1, 0});
  CHECK(row.make(placed(Collective::allgather, 5, "natural"))->header().owners.empty());
  for (const char* wrong : {"", "0,1", "0,1,1", "0,1,3", "0,1,2,", "0 1 2", "-1,0,1", "2,1,0,3"})
    CHECK(refusal(row, placed(Collective::allgather, 3, wrong)) ==
          fmt::format("generalized: placement is natural, reversed or each of 0 to 2 once, as in 2,0,1; not '{}'",
                      wrong));
  CHECK(refusal(row, placed(Collective::allgather, 2000, "reversed")) ==
        "generalized: a placement is for up to 1024 ranks, not 2000");
}

}  // namespace placement_test
