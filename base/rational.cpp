#include "base/rational.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <new>
#include <utility>

#include "base/text.h"

namespace onceover::base {

namespace {

using Integer = boost::multiprecision::cpp_int;
using Fraction = boost::multiprecision::cpp_rational;

constexpr std::size_t longest_fraction = 200;

Integer integer(Rational::Wide x) {
  return (Integer(static_cast<std::uint64_t>(x >> 64)) << 64) + static_cast<std::uint64_t>(x);
}

bool are_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// The number that the digits spell. Boost would read a leading zero as octal.
Integer decimal(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return Integer(std::string(digits));
}

}  // namespace

struct Rational::Value {
  Fraction number;
};

Rational::Value& Rational::value() {
  static_assert(sizeof(Value) <= sizeof(storage_) && alignof(Value) <= 16);
  return *std::launder(reinterpret_cast<Value*>(storage_.data()));
}

const Rational::Value& Rational::value() const {
  return *std::launder(reinterpret_cast<const Value*>(storage_.data()));
}

Rational::Rational(Value&& value) {
  new (storage_.data()) Value(std::move(value));
}

Rational::Rational(std::int64_t value, Tag) : Rational(Value{Fraction(value)}) {}
Rational::Rational(double value) : Rational(Value{Fraction(value)}) {}
Rational::Rational(Wide above, Wide below, Tag) : Rational(Value{Fraction(integer(above), integer(below))}) {}
Rational::Rational(const Rational& other) : Rational(Value(other.value())) {}
Rational::Rational(Rational&& other) noexcept : Rational(std::move(other.value())) {}

Rational& Rational::operator=(const Rational& other) {
  value() = other.value();
  return *this;
}

Rational& Rational::operator=(Rational&& other) noexcept {
  value() = std::move(other.value());
  return *this;
}

Rational::~Rational() {
  value().~Value();
}

Rational& Rational::operator+=(const Rational& b) {
  value().number += b.value().number;
  return *this;
}

Rational& Rational::operator-=(const Rational& b) {
  value().number -= b.value().number;
  return *this;
}

Rational& Rational::operator*=(const Rational& b) {
  value().number *= b.value().number;
  return *this;
}

Rational& Rational::operator/=(const Rational& b) {
  value().number /= b.value().number;
  return *this;
}

Rational Rational::operator-() const {
  return Rational(Value{Fraction(-value().number)});
}

int Rational::compare(const Rational& b) const {
  return value().number.compare(b.value().number);
}

Rational Rational::numerator() const {
  return Rational(Value{Fraction(boost::multiprecision::numerator(value().number))});
}

Rational Rational::denominator() const {
  return Rational(Value{Fraction(boost::multiprecision::denominator(value().number))});
}

Rational Rational::floor() const {
  const Integer above = boost::multiprecision::numerator(value().number);
  const Integer below = boost::multiprecision::denominator(value().number);
  Integer quotient = above / below;  // toward zero
  if (above < 0 && quotient * below != above) --quotient;
  return Rational(Value{Fraction(quotient)});
}

bool Rational::is_whole() const {
  return boost::multiprecision::denominator(value().number) == 1;
}

std::optional<std::int64_t> Rational::whole() const {
  using Limits = std::numeric_limits<std::int64_t>;
  const Fraction& number = value().number;
  if (!is_whole() || number > Limits::max() || number < Limits::min()) return std::nullopt;
  return static_cast<std::int64_t>(boost::multiprecision::numerator(number));
}

Rational::operator double() const {
  return static_cast<double>(value().number);
}

std::string Rational::str() const {
  return value().number.str();
}

std::optional<Rational> Rational::parse(std::string_view text) {
  if (text.size() > longest_fraction) return std::nullopt;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view above = text.substr(0, slash);
  const std::string_view below = slash == text.size() ? "1" : text.substr(slash + 1);
  if (!are_digits(above) || !are_digits(below) || decimal(below) == 0) return std::nullopt;
  Rational number(Value{Fraction(decimal(above), decimal(below))});
  return is_negative ? -number : number;
}

Rational abs(const Rational& number) {
  return number < 0 ? -number : number;
}

Rational power_of_two(unsigned exponent) {
  Rational power = 1;
  for (Rational square = 2; exponent != 0; exponent >>= 1, square *= square)
    if (exponent % 2 != 0) power *= square;
  return power;
}

}  // namespace onceover::base
