// The value of a register: bits, and beside them what they are made of.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/value_terms.h"

namespace onceover::gpu {

/// What 16 bits of a value are: the part (from the lowest) of a term, or nothing that an input had a part in. A term of
/// 8 bits is in the lower byte, and the upper one is zero.
class Lane {
 public:
  Lane() = default;
  Lane(ValueTerm term, std::uint32_t part) : word_(static_cast<std::uint32_t>(term) << 2 | part) {}

  ValueTerm term() const { return static_cast<ValueTerm>(word_ >> 2); }
  std::uint32_t part() const { return word_ & 3; }
  bool is_empty() const { return word_ == 0; }
  std::uint32_t word() const { return word_; }

  friend bool operator==(Lane, Lane) = default;

 private:
  std::uint32_t word_ = 0;
};

/// Up to 64 bits. Bits above the register's size are zero, and so are their lanes.
struct Value {
  std::uint64_t bits = 0;
  std::array<Lane, 4> lanes{};

  bool is_concrete() const { return (lanes[0].word() | lanes[1].word() | lanes[2].word() | lanes[3].word()) == 0; }

  friend bool operator==(const Value&, const Value&) = default;
};

inline Value concrete(std::uint64_t bits) {
  return {bits, {}};
}

}  // namespace onceover::gpu
