#include "network/event_queue.h"

#include <catch2/catch.hpp>
#include <queue>
#include <random>

namespace event_queue_test {

using namespace onceover::network;

TEST_CASE("events come in the order of a heap of all of them, also those that are late and at the same time") {
  std::mt19937 random(7);
  for (const int times : {1, 3, 50, 100'000}) {
    EventQueue queue;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> heap;
    double now = 0;
    for (std::int64_t k = 0; k < 20'000; ++k) {
      // More is pushed than taken at first, then less; some events are a little before the present.
      const auto pushed = random() % (k < 10'000 ? 4U : 2U);
      for (std::uint32_t n = 0; n < pushed; ++n) {
        const Event event{now + static_cast<double>(random() % static_cast<std::uint32_t>(times)) - 0.5,
                          static_cast<std::int64_t>(random() % 1000)};
        queue.push(event);
        heap.push(event);
      }
      REQUIRE(queue.empty() == heap.empty());
      if (heap.empty()) continue;
      const Event next = queue.pop();
      REQUIRE(next.time == heap.top().time);
      REQUIRE(next.what == heap.top().what);
      now = next.time;
      heap.pop();
    }
  }
}

}  // namespace event_queue_test
