#include "proofs/bounded.h"

#include <catch2/catch.hpp>

namespace bounded_test {

using namespace onceover::proofs;

namespace {

Answer ask(const char* peer, Rank p, Bounded question) {
  const PeerRule rule{*Formula::parse("--peer", peer, peer_variables())};
  return ask_bounded(*PeerTable::of(rule, p), question).answer;
}

const char* const swing = "even(r) ? r + rho(s) : r - rho(s)";
const char* const wrong = "even(r) ? r + delta(s) : r - delta(s)";

}  // namespace

TEST_CASE("for one p, uniqueness and coverage are decided for all sequences of steps at once") {
  for (const Rank p : {2, 4, 8, 16}) {
    CAPTURE(p);
    CHECK(ask(swing, p, Bounded::uniqueness) == Answer::unsatisfiable);
    CHECK(ask(swing, p, Bounded::coverage) == Answer::unsatisfiable);
    CHECK(ask("r xor pow2(s)", p, Bounded::uniqueness) == Answer::unsatisfiable);
    if (p > 2) CHECK(ask(wrong, p, Bounded::uniqueness) == Answer::satisfiable);
    if (p > 2) CHECK(ask(wrong, p, Bounded::coverage) == Answer::satisfiable);
  }
  for (const Rank p : {6, 10, 12, 14}) {
    CAPTURE(p);
    CHECK(ask(swing, p, Bounded::uniqueness) == Answer::satisfiable);  // some ranks come up twice
    CHECK(ask(swing, p, Bounded::coverage) == Answer::unsatisfiable);
  }
  // All but the last rank of an odd number.
  CHECK(ask(swing, 5, Bounded::coverage) == Answer::unsatisfiable);
  CHECK(ask(swing, 5, Bounded::uniqueness) == Answer::unsatisfiable);
}

TEST_CASE("a model names a rank that no sequence of steps leads to") {
  const PeerRule rule{*Formula::parse("--peer", wrong, peer_variables())};
  const Reply reply = ask_bounded(*PeerTable::of(rule, 4), Bounded::coverage);
  REQUIRE(reply.answer == Answer::satisfiable);
  CHECK(std::stoi(reply.model.at("rank")) / 2 != std::stoi(reply.model.at("start")) / 2);
}

TEST_CASE("one rank is reached without a step, and more than 16 steps are too many") {
  CHECK(ask(swing, 1, Bounded::coverage) == Answer::unsatisfiable);
  CHECK(ask(swing, 1, Bounded::uniqueness) == Answer::unsatisfiable);
  auto with_steps = [](const char* steps) {
    const PeerRule rule{*Formula::parse("--peer", "r + 1", peer_variables()),
                        *Formula::parse("--peer-steps", steps, steps_variables())};
    return ask_bounded(*PeerTable::of(rule, 3), Bounded::coverage);
  };
  CHECK(with_steps("1").answer == Answer::satisfiable);
  CHECK(with_steps("16").answer == Answer::unsatisfiable);
  const Reply reply = with_steps("17");
  CHECK(reply.answer == Answer::unknown);
  CHECK(reply.reason == "there are more than 16 steps");
}

}  // namespace bounded_test
