#include "gpu/machine/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace onceover::gpu {
namespace {

struct Format {
  int exponent_bits;
  int fraction_bits;
  bool has_infinity;
};

Format format_of(ElementType type) {
  switch (type) {
    case ElementType::e4m3: return {4, 3, false};
    case ElementType::e5m2: return {5, 2, true};
    case ElementType::bf16: return {8, 7, true};
    default: return {5, 10, true};
  }
}

double small_number(const Format& format, std::uint64_t bits) {
  const std::uint64_t fraction_end = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t fraction = bits & (fraction_end - 1);
  const auto all_ones = (1 << format.exponent_bits) - 1;
  const auto exponent = static_cast<int>(bits >> format.fraction_bits) & all_ones;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const bool is_negative = (bits >> (format.exponent_bits + format.fraction_bits) & 1) != 0;
  double number = 0;
  if (exponent == all_ones && format.has_infinity)
    number = fraction == 0 ? INFINITY : NAN;
  else if (exponent == all_ones && fraction == fraction_end - 1)
    number = NAN;
  else if (exponent == 0)
    number = std::ldexp(static_cast<double>(fraction), 1 - bias - format.fraction_bits);
  else
    number = std::ldexp(static_cast<double>(fraction_end + fraction), exponent - bias - format.fraction_bits);
  return is_negative ? -number : number;
}

std::uint64_t small_bits(const Format& format, double number, bool saturates) {
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint64_t all_ones = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t sign = std::uint64_t{std::signbit(number)} << (format.exponent_bits + format.fraction_bits);
  const std::uint64_t infinite = all_ones << format.fraction_bits;
  const std::uint64_t largest =
      format.has_infinity ? infinite - 1 : infinite + (std::uint64_t{1} << format.fraction_bits) - 2;
  const std::uint64_t not_a_number = (std::uint64_t{1} << (format.exponent_bits + format.fraction_bits)) - 1;
  if (std::isnan(number)) return not_a_number;
  const double size = std::fabs(number);
  if (size == 0) return sign;
  int exponent = 0;
  if (!std::isinf(size)) std::frexp(size, &exponent);
  const int unit = std::max(exponent - 1, 1 - bias) - format.fraction_bits;  // the exponent of the last bit
  const double scaled = std::isinf(size) ? INFINITY : std::nearbyint(std::ldexp(size, -unit));
  // With the hidden bit, the fraction carries over into the exponent by itself.
  const double rounded =
      scaled + std::ldexp(static_cast<double>(unit + format.fraction_bits - (1 - bias)), format.fraction_bits);
  if (std::isinf(size) || rounded > static_cast<double>(largest)) {
    if (saturates) return sign | largest;
    return sign | (format.has_infinity ? infinite : not_a_number);
  }
  return sign | static_cast<std::uint64_t>(rounded);
}

std::uint64_t mixed(std::uint64_t number) {
  number ^= number >> 30;
  number *= 0xBF58476D1CE4E5B9u;
  number ^= number >> 27;
  number *= 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

}  // namespace

double number_of(ElementType type, std::uint64_t bits) {
  if (type == ElementType::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type == ElementType::f64) return std::bit_cast<double>(bits);
  return small_number(format_of(type), bits);
}

std::uint64_t bits_of(ElementType type, double number, bool saturates) {
  if (type == ElementType::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
  if (type == ElementType::f64) return std::bit_cast<std::uint64_t>(number);
  return small_bits(format_of(type), number, saturates);
}

std::uint64_t input_bits(ElementType type, std::uint64_t buffer, std::uint64_t element, std::uint32_t call) {
  const std::uint64_t random = mixed(mixed(mixed(element) + buffer * 0x9E3779B97F4A7C15u) + call + 1);
  if (!is_floating(type)) return size_of(type) == 8 ? random : random & ((std::uint64_t{1} << (8 * size_of(type))) - 1);
  const auto fraction = static_cast<double>((random & 0xFFFFFF) | 1) / 0x1000000;
  const int exponent = static_cast<int>(random >> 40 & 7) - 3;
  const double size = std::ldexp(1 + fraction, exponent);
  const std::uint64_t bits = bits_of(type, (random >> 63) != 0 ? -size : size);
  return bits;
}

}  // namespace onceover::gpu
