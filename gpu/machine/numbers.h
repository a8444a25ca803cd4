// Bits of numbers, and the numbers.
#pragma once

#include <cstdint>

#include "gpu/element_type.h"

namespace onceover::gpu {

/// The floating-point number that the lowest bits are.
double number_of(ElementType type, std::uint64_t bits);

/// The nearest number of the type, ties to even. A number that is too large becomes infinite, or the largest one if
/// `saturates` or if the type (e4m3) has no infinity.
std::uint64_t bits_of(ElementType type, double number, bool saturates = false);

/// An input's value: from its indices alone. Floating-point numbers are finite, not zero and of different sizes, so
/// sums in another order mostly have other bits; integers have all their bits at random.
std::uint64_t input_bits(ElementType type, std::uint64_t buffer, std::uint64_t element, std::uint32_t call);

}  // namespace onceover::gpu
