// Exact fractions.

#include "base/rational.h"

#include <catch2/catch.hpp>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace rational_test {

using namespace onceover::base;

TEST_CASE("fractions of small numbers are what whole numbers say of them") {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> number(-60, 60);
  for (int round = 0; round < 20'000; ++round) {
    const std::int64_t a = number(random), b = number(random), c = number(random), d = number(random);
    if (b == 0 || d == 0) continue;
    const Rational x(a, b);
    const Rational y(c, d);
    CHECK(x + y == Rational(a * d + c * b, b * d));
    CHECK(x - y == Rational(a * d - c * b, b * d));
    CHECK(x * y == Rational(a * c, b * d));
    if (c != 0) CHECK(x / y == Rational(a * d, b * c));
    const std::int64_t sign = b * d > 0 ? 1 : -1;
    CHECK((x < y) == (sign * a * d < sign * c * b));
    CHECK(-x == Rational(-a, b));
    CHECK(abs(x) == (x < 0 ? -x : x));
    const std::int64_t divisor = std::gcd(a, b) * (b < 0 ? -1 : 1);
    CHECK(x.numerator() == a / divisor);
    CHECK(x.denominator() == b / divisor);
    CHECK(x.is_whole() == (a % b == 0));
    CHECK(x.floor() <= x);
    CHECK(x < x.floor() + 1);
    CHECK(x.floor().is_whole());
    CHECK(static_cast<double>(x) == Approx(static_cast<double>(a) / static_cast<double>(b)));
    CHECK(Rational::parse(x.str()) == x);
  }
}

TEST_CASE("fractions hold numbers of any size") {
  const Rational large = power_of_two(200) + 1;
  CHECK(large.str() == "1606938044258990275541962092341162602522202993782792835301377");
  CHECK_FALSE(large.whole());
  CHECK((large - power_of_two(200)).whole() == 1);
  CHECK(large / large == 1);
  CHECK(Rational::of(Rational::Wide{1} << 127, 3) == power_of_two(127) / 3);
  CHECK(Rational(std::numeric_limits<std::uint64_t>::max()) + 1 == power_of_two(64));
  for (const std::int64_t end : {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    CHECK(Rational(end).whole() == end);
    CHECK_FALSE((Rational(end) * 2).whole());
  }
  for (unsigned exponent = 0; exponent < 63; ++exponent)
    CHECK(power_of_two(exponent).whole() == std::int64_t{1} << exponent);
}

TEST_CASE("fractions are copied and moved as values") {
  Rational a(6, 5);
  Rational b = a;
  b += 1;
  CHECK(a.str() == "6/5");
  CHECK(b.str() == "11/5");
  const Rational taken = std::move(b);
  b = power_of_two(300);
  a = b;
  CHECK(taken.str() == "11/5");
  CHECK(a == power_of_two(300));
  std::vector<Rational> many(100, a);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] += k;
  std::reverse(many.begin(), many.end());
  CHECK(many.front() - many.back() == 99);
}

TEST_CASE("what is no fraction is not read as one") {
  CHECK(Rational::parse("010/08") == Rational(5, 4));
  CHECK(Rational::parse("-0") == 0);
  for (const char* text : {"", "-", "/", "1/", "/2", "1/0", "1/-2", "+1", " 1", "1.5", "0x1", "--1", "1/2/3", "1e3"})
    CHECK_FALSE(Rational::parse(text));
  CHECK(Rational::parse(std::string(200, '7')));
  CHECK_FALSE(Rational::parse(std::string(201, '7')));
}

}  // namespace rational_test
