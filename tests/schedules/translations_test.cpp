#include "schedules/translations.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <set>
#include <tuple>

#include "catalogue_schedules.h"

namespace translations_test {

using namespace onceover::schedules;
using namespace onceover::support;

namespace {

using Message = std::tuple<Rank, Rank, Block, Op, int, Block>;

std::multiset<Message> messages_of(const Schedule& schedule, int step) {
  std::vector<Transfer> transfers;
  schedule.transfers(step, transfers);
  std::multiset<Message> all;
  for (const Transfer& t : transfers) all.insert({t.src, t.dst, t.blocks.size(), t.op, t.lane, t.landed()});
  return all;
}

/// The rank, turned in each dimension by the coordinates of `by`.
Rank turned(Rank rank, Rank by, const std::vector<Rank>& shape) {
  Rank place = 0, weight = 1;
  for (std::size_t d = shape.size(); d-- > 0; rank /= shape[d], by /= shape[d], weight *= shape[d])
    place += (rank % shape[d] + by % shape[d]) % shape[d] * weight;
  return place;
}

}  // namespace

TEST_CASE("translations take one message of each orbit to all messages of its step") {
  int folded = 0;
  for (const std::vector<Rank>& shape :
       std::vector<std::vector<Rank>>{{6}, {7}, {8}, {2, 4}, {4, 2}, {3, 3}, {4, 4}, {4, 6}, {1, 6}, {2, 3, 4}})
    for_each_schedule(shape, [&](const Schedule& schedule) {
      const PatternedSchedule* patterns = schedule.as_patterns();
      if (patterns == nullptr) return;
      std::vector<int> steps(static_cast<std::size_t>(schedule.steps()));
      std::iota(steps.begin(), steps.end(), 0);
      const Translations translations = translations_of(*patterns, shape, steps);
      const SchedulePtr few = one_of_each_orbit(*patterns, translations, steps);
      folded += translations.orbit_size() > 1 ? 1 : 0;
      for (const int s : steps) {
        std::multiset<Message> translated;
        for (const auto& [src, dst, size, op, lane, landed] : messages_of(*few, s))
          for (Rank k = 0; k < translations.orbit_size(); ++k) {
            const Rank by = translations.member(0, k);
            translated.insert({turned(src, by, shape), turned(dst, by, shape), size, op, lane, landed});
          }
        REQUIRE(translated == messages_of(schedule, s));
      }
    });
  CHECK(folded > 100);
}

TEST_CASE("orbits of places are disjoint, ascending, and numbered by their first places") {
  const Translations translations({4, 6}, {2, 3});
  CHECK(translations.orbits() == 6);
  CHECK(translations.orbit_size() == 4);
  std::set<Rank> seen;
  for (Rank orbit = 0; orbit < translations.orbits(); ++orbit)
    for (Rank k = 0; k < translations.orbit_size(); ++k) {
      const Rank place = translations.member(orbit, k);
      CHECK(translations.orbit_of(place) == orbit);
      CHECK(seen.insert(place).second);
      if (k > 0) CHECK(translations.member(orbit, k - 1) < place);
      if (k == 0 && orbit > 0) CHECK(translations.member(orbit - 1, 0) < place);
    }
  CHECK(*seen.rbegin() == 23);
}

}  // namespace translations_test
