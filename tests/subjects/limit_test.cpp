#include "subjects/limit.h"

#include <catch2/catch.hpp>

namespace limit_test {

using namespace onceover::subjects;

namespace {

Measures ranks_and_steps(int ranks, int steps) {
  Measures measures;
  measures.known.emplace("p", ranks);
  measures.known.emplace("steps", steps);
  return measures;
}

LimitFinding judged(std::string_view text, const Measures& measures) {
  const auto limit = Limit::parse(text);
  REQUIRE(limit);
  return limit->judge(measures);
}

Verdict verdict(std::string_view text, int ranks, int steps) {
  return judged(text, ranks_and_steps(ranks, steps)).verdict;
}

std::string refusal(std::string_view text) {
  const auto limit = Limit::parse(text);
  REQUIRE(!limit);
  return limit.error().render();
}

}  // namespace

TEST_CASE("limit: ceil(log2(p)) rounds the logarithm up, not its floor") {
  CHECK(verdict("steps <= ceil(log2(p))", 7, 3) == Verdict::pass);
  CHECK(verdict("steps <= ceil(log2(p))", 9, 5) == Verdict::fail);
  CHECK(verdict("steps <= ceil(log2(p))", 9, 4) == Verdict::pass);
  CHECK(verdict("steps <= ceil(log2(p))", 8, 4) == Verdict::fail);
  CHECK(verdict("steps <= floor(log2(p))", 7, 3) == Verdict::fail);
  CHECK(verdict("steps == ceil(log2(p))", 8, 3) == Verdict::pass);
  CHECK(verdict("steps <= log2(p)", 8, 3) == Verdict::pass);
  CHECK(judged("steps <= log2(p)", ranks_and_steps(7, 3)).is_undefined);
  CHECK(judged("steps <= ceil(2*log2(p))", ranks_and_steps(7, 3)).is_undefined);
}

TEST_CASE("limit: decimals and divisions are exact") {
  Measures measures;
  measures.known.emplace("congestion", Rational(6, 5));
  CHECK(judged("congestion <= 1.2", measures).verdict == Verdict::pass);
  CHECK(judged("congestion < 1.2", measures).verdict == Verdict::fail);
  CHECK(judged("congestion == 6/5", measures).verdict == Verdict::pass);
  CHECK(judged("congestion <= 1.19999999999999999", measures).verdict == Verdict::fail);
}

TEST_CASE("limit: too many digits are refused rather than rounded") {
  CHECK_THAT(refusal("congestion <= 1.1999999999999999999"), Catch::Contains("at most 18 digits"));
}

TEST_CASE("limit: floor and ceil of fractions, also of negative ones") {
  CHECK(verdict("steps <= ceil(p / 2)", 7, 4) == Verdict::pass);
  CHECK(verdict("steps <= floor(p / 2)", 7, 4) == Verdict::fail);
  CHECK(verdict("steps == 4 + floor(-p / 2)", 7, 0) == Verdict::pass);
  CHECK(verdict("steps == 4 + ceil(-p / 2)", 7, 1) == Verdict::pass);
  CHECK(verdict("steps * 2 <= p", 7, 4) == Verdict::fail);
}

TEST_CASE("limit: what isn't true or false can't be a limit") {
  CHECK_THAT(refusal("steps"), Catch::Contains("a limit is true or false"));
  CHECK_THAT(refusal("steps <= 3 or 1"), Catch::Contains("joins a number and what is true or false"));
  CHECK_THAT(refusal("(steps <= 3) + 1 <= 5"), Catch::Contains("joins a number"));
  CHECK_THAT(refusal("p <= 64"), Catch::Contains("there is none in it"));
  CHECK_THAT(refusal("step <= 3"), Catch::Contains("did you mean 'steps'?"));
}

TEST_CASE("limit: a metric that is not known is never a pass") {
  const Measures measures = ranks_and_steps(8, 3);
  CHECK(judged("congestion <= 100", measures).verdict == Verdict::unknown);
  CHECK(judged("not (congestion > 100)", measures).verdict == Verdict::unknown);
  CHECK(judged("congestion == congestion", measures).verdict == Verdict::unknown);
  CHECK(judged("congestion <= 1 or steps <= 3", measures).verdict == Verdict::unknown);
  // A side that the verdict doesn't need may be unknown.
  CHECK(judged("steps <= 3 or congestion <= 1", measures).verdict == Verdict::pass);
  CHECK(judged("p > 4 ? steps <= 2 : congestion <= 1", measures).verdict == Verdict::fail);
}

TEST_CASE("limit: what is too large has no value") {
  std::string product = "p";
  for (int k = 0; k < 50; ++k) product += "*p";
  const auto finding = judged("steps <= " + product, ranks_and_steps(64, 3));
  CHECK(finding.verdict == Verdict::unknown);
  CHECK(finding.is_undefined);
  CHECK(judged("steps <= 1 / (p - 8)", ranks_and_steps(8, 3)).is_undefined);
  CHECK(judged("steps <= pow2(p)", ranks_and_steps(64, 3)).is_undefined);
}

TEST_CASE("limit: exact numbers come back from their texts") {
  for (const Rational& number : {Rational(0), Rational(7), Rational(-6, 5), Rational(22, 7)})
    CHECK(Rational::parse(number.str()) == number);
  for (const std::string text : {"", "-", "1/0", "1/", "/2", "1.5", "0x1", "--1", "1/-2"})
    CHECK_FALSE(Rational::parse(text));
  CHECK(*Rational::parse("010/08") == Rational(10, 8));
}

TEST_CASE("limit: a bound is compared with what it bounds") {
  CHECK_THAT(refusal("bandwidth <= 1.1*bound"), Catch::Contains("bound is for a comparison with time"));
  CHECK_THAT(refusal("steps <= bound"), Catch::Contains("as in time <= 1.1*bound; time isn't here"));
  CHECK_THAT(refusal("messages <= least_steps"), Catch::Contains("least_steps is for a comparison with steps"));
  Measures measures;
  measures.known.emplace("time", Rational(11, 16));
  measures.known.emplace("bound", Rational(5, 8));
  CHECK(judged("time <= 1.1*bound", measures).verdict == Verdict::pass);
  CHECK(judged("time / bound < 1.1", measures).verdict == Verdict::fail);
  CHECK(judged("time <= bound and steps == least_steps", measures).verdict == Verdict::fail);
}

}  // namespace limit_test
