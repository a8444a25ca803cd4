// Exact fractions.
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::base {

/// A fraction of whole numbers of any size, in lowest terms with a positive denominator. Boost.Multiprecision does the
/// arithmetic, in rational.cpp only: its headers take longer to compile than the code that uses fractions. An operation
/// costs the multiplication of the numbers and their greatest common divisor. Numbers of up to 128 bits take no memory
/// besides the object.
class Rational {
 public:
  __extension__ using Wide = unsigned __int128;

  Rational() : Rational(std::int64_t{0}) {}
  template <std::signed_integral Whole>
  Rational(Whole value) : Rational(static_cast<std::int64_t>(value), Tag{}) {}
  template <std::unsigned_integral Whole>
  Rational(Whole value) : Rational(Wide{value}, Wide{1}, Tag{}) {}

  /// The exact value of a finite double.
  explicit Rational(double value);

  /// `above` / `below`; `below` is not 0.
  template <std::integral Above, std::integral Below>
  Rational(Above above, Below below) : Rational(Rational(above) / Rational(below)) {}

  /// The same for numbers that no standard integer type holds.
  static Rational of(Wide above, Wide below) { return Rational(above, below, Tag{}); }

  /// Reads what `str` writes, also with leading zeros and not in lowest terms. Nothing for any other text, and for more
  /// than 200 letters.
  static std::optional<Rational> parse(std::string_view text);

  Rational(const Rational& other);
  Rational(Rational&& other) noexcept;
  Rational& operator=(const Rational& other);
  Rational& operator=(Rational&& other) noexcept;
  ~Rational();

  Rational& operator+=(const Rational& b);
  Rational& operator-=(const Rational& b);
  Rational& operator*=(const Rational& b);
  Rational& operator/=(const Rational& b);  // b is not 0
  Rational operator-() const;

  friend Rational operator+(Rational a, const Rational& b) { return a += b; }
  friend Rational operator-(Rational a, const Rational& b) { return a -= b; }
  friend Rational operator*(Rational a, const Rational& b) { return a *= b; }
  friend Rational operator/(Rational a, const Rational& b) { return a /= b; }
  friend bool operator==(const Rational& a, const Rational& b) { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Rational& a, const Rational& b) { return a.compare(b) <=> 0; }

  Rational numerator() const;
  Rational denominator() const;
  Rational floor() const;
  bool is_whole() const;

  /// The number, if it is whole and fits into 64 bits.
  std::optional<std::int64_t> whole() const;

  /// The nearest double, up to its last bit.
  explicit operator double() const;

  /// "7", "-6/5".
  std::string str() const;

 private:
  struct Tag {};
  struct Value;
  Rational(std::int64_t value, Tag);
  Rational(Wide above, Wide below, Tag);
  explicit Rational(Value&& value);

  int compare(const Rational& b) const;
  Value& value();
  const Value& value() const;

  alignas(16) std::array<std::byte, 64> storage_;  // a Value
};

Rational abs(const Rational& number);

/// 2^exponent.
Rational power_of_two(unsigned exponent);

}  // namespace onceover::base
