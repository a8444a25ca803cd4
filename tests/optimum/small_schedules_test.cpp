#include "optimum/small_schedules.h"

#include <catch2/catch.hpp>
#include <set>

#include "schedules/numbers.h"

namespace small_schedules_test {

using namespace onceover::optimum;

namespace {

constexpr Collective collectives[]{Collective::reduce_scatter, Collective::allgather, Collective::allreduce};

/// ceil(log_(ports+1) ranks)
int least_steps(int ranks, int ports) {
  int steps = 0;
  for (int reached = 1; reached < ranks; reached *= ports + 1) ++steps;
  return steps;
}

}  // namespace

TEST_CASE("no schedule of up to five ranks takes fewer steps than ports allow, and some take as many") {
  for (const Collective collective : collectives)
    for (int ranks = 2; ranks <= 5; ++ranks)
      for (int ports = 1; ports <= 3; ++ports) {
        CAPTURE(name(collective), ranks, ports);
        const int least = least_steps(ranks, ports);
        CHECK(ask_small({collective, ranks, least - 1, ports}).answer == Answer::unsatisfiable);
        CHECK(ask_small({collective, ranks, least, ports}).answer == Answer::satisfiable);
      }
}

TEST_CASE("of a reduce-scatter each rank sends p-1 blocks at least, of an allgather it receives as many") {
  for (int ranks = 2; ranks <= 5; ++ranks) {
    CAPTURE(ranks);
    SmallSchedules sends{.collective = Collective::reduce_scatter, .ranks = ranks, .steps = ranks};
    SmallSchedules receives{.collective = Collective::allgather, .ranks = ranks, .steps = ranks};
    sends.blocks_sent = receives.blocks_received = ranks - 2;
    CHECK(ask_small(sends).answer == Answer::unsatisfiable);
    CHECK(ask_small(receives).answer == Answer::unsatisfiable);
    sends.blocks_sent = receives.blocks_received = ranks - 1;
    CHECK(ask_small(sends).answer == Answer::satisfiable);
    CHECK(ask_small(receives).answer == Answer::satisfiable);
  }
}

TEST_CASE("the model is a schedule: two messages by which two ranks know of each other") {
  const Reply reply = ask_small({Collective::allreduce, 2, 1, 1});
  REQUIRE(reply.answer == Answer::satisfiable);
  std::set<std::string> sent;
  for (const auto& [what, value] : reply.model) sent.insert(what);
  CHECK(sent ==
        std::set<std::string>{"step 0: rank 0 sends block 0 to rank 1", "step 0: rank 1 sends block 0 to rank 0"});
}

}  // namespace small_schedules_test
