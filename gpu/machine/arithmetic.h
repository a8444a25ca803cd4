// What instructions make of values: bits and terms.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "gpu/machine/code.h"
#include "gpu/value.h"

namespace onceover::gpu {

/// The lowest `bytes` of the bits, and the same with its sign.
inline std::uint64_t lowest(std::uint64_t bits, std::uint32_t bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * bytes)) - 1);
}
inline std::int64_t as_signed(std::uint64_t bits, std::uint32_t bytes) {
  const std::uint32_t shift = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

/// What an instruction with the flag `is_plain` makes of concrete operands.
inline std::uint64_t plain(const Code& code, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::uint32_t bytes = code.type.bytes;
  const bool is_signed = code.type.is_signed();
  switch (code.opcode) {
    case Opcode::add: return lowest(a + b, bytes);
    case Opcode::subtract: return lowest(a - b, bytes);
    case Opcode::multiply:
    case Opcode::multiply_add: {
      if (!code.has(Code::is_wide)) return lowest(a * b + c, bytes);
      const std::uint64_t product = is_signed ? static_cast<std::uint64_t>(as_signed(a, bytes) * as_signed(b, bytes))
                                              : lowest(a, bytes) * lowest(b, bytes);
      return lowest(product + c, 2 * bytes);
    }
    case Opcode::bit_and: return lowest(a & b, bytes);
    case Opcode::bit_or: return lowest(a | b, bytes);
    case Opcode::bit_xor: return lowest(a ^ b, bytes);
    case Opcode::shift_left: {
      const std::uint64_t by = lowest(b, 4);
      return by >= 8 * bytes ? 0 : lowest(a << by, bytes);
    }
    case Opcode::shift_right: {
      const std::uint64_t by = lowest(b, 4);
      if (is_signed)
        return lowest(static_cast<std::uint64_t>(as_signed(a, bytes) >> std::min<std::uint64_t>(by, 63)), bytes);
      return by >= 8 * bytes ? 0 : lowest(a, bytes) >> by;
    }
    case Opcode::convert: {
      const std::uint32_t from = code.source_type.bytes;
      return lowest(code.source_type.is_signed() ? static_cast<std::uint64_t>(as_signed(a, from)) : lowest(a, from),
                    bytes);
    }
    default: {
      const bool is_less = is_signed ? as_signed(a, bytes) < as_signed(b, bytes) : lowest(a, bytes) < lowest(b, bytes);
      return lowest(is_less == (code.opcode == Opcode::minimum) ? a : b, bytes);
    }
  }
}

/// May an instruction have it?
bool can_be_plain(const Code& code);

/// Terms stay whole where bits are moved, in parts of 16; additions make sums, conversions are recognised, and whatever
/// else is done to terms makes an opaque one.
class Arithmetic {
 public:
  explicit Arithmetic(ValueTerms& terms) : terms_(terms) {}

  /// Any operation from `add` to `convert`, except comparisons.
  Value result(const Code& code, const Value& a, const Value& b, const Value& c, const Value& d) const;
  /// a `code.mode` b, in the scalar.
  bool holds(const Code& code, const PtxType& type, const Value& a, const Value& b, std::uint32_t scalar) const;
  Value atomic(const Code& code, const Value& old, const Value& operand) const;
  Value combined(Combining operation, const PtxType& type, const Value& a, const Value& b, const Code& code) const;

  /// The term of one scalar of a value; `none` if it is concrete.
  ValueTerm term(const Value& value, ElementType type, std::uint32_t scalar) const;
  /// A constant instead of `none`.
  ValueTerm term_or_constant(const Value& value, ElementType type, std::uint32_t scalar) const;
  /// The term of lanes that no single term fills, side by side; empty lanes are constants, the lowest of `bits`.
  ValueTerm packed(std::span<const Lane> lanes, ElementType type, std::uint64_t bits) const;
  void set_term(Value& value, ElementType type, std::uint32_t scalar, ValueTerm term) const;
  ValueTerms& terms() const { return terms_; }

 private:
  Value integer(const Code& code, const Value& a, const Value& b, const Value& c) const;
  Value floating(const Code& code, const Value& a, const Value& b, const Value& c) const;
  ValueTerm floating_term(const Code& code, ElementType type, std::array<ValueTerm, 3> terms,
                          std::array<double, 3> numbers) const;
  Value bitwise(Opcode opcode, const Value& a, const Value& b, std::uint32_t bytes) const;
  Value logic3(const Code& code, const Value& a, const Value& b, const Value& c, const Value& table) const;
  Value shifted_left(const Value& a, std::uint64_t by, std::uint32_t bytes) const;
  Value shifted_right(const Value& a, std::uint64_t by, std::uint32_t bytes, bool is_signed) const;
  /// Are all lanes from `first` on empty or packed, so that their bytes can be taken one by one?
  bool holds_only_pairs(const Value& a, std::size_t first, std::uint32_t bytes) const;
  /// The lanes from `first` on, one byte further to the right.
  std::array<Lane, 4> lanes_one_byte_on(const Value& a, std::size_t first, std::uint32_t bytes) const;
  Value funnel(const Code& code, const Value& a, const Value& b, std::uint64_t by) const;
  Value extracted(const Code& code, const Value& a, const Value& b, const Value& c) const;
  Value inserted(const Code& code, const Value& a, const Value& b, const Value& c, const Value& d) const;
  Value permuted(const Value& a, const Value& b, std::uint64_t selector) const;
  /// The lane of two bytes of `source`, each chosen by four bits: its place, and whether only its sign is kept.
  Lane permuted_lane(std::uint64_t source, const std::array<Lane, 4>& lanes, std::uint64_t low,
                     std::uint64_t high) const;
  Value counted(const Code& code, const Value& a) const;
  Value converted(const Code& code, const Value& a, const Value& b) const;
  Value converted_scalar(const Code& code, ElementType from, const Value& a, std::uint32_t from_scalar,
                         std::uint32_t to_scalar) const;
  Value converted_integer(const Code& code, const Value& a) const;
  /// Makes a concrete result opaque if an operand isn't concrete.
  Value opaque(Value result, const Code& code, std::uint32_t bytes, const Value& a, const Value& b,
               const Value& c) const;
  Value opaque(Value result, Opcode opcode, std::uint32_t bytes, std::uint32_t operand_bytes, const Value& a,
               const Value& b, const Value& c) const;
  ValueTerm whole(const Value& value, std::uint32_t bytes) const;
  /// Do both have the type, so that an operation in it makes sense of them?
  bool has_type(ValueTerm term, ElementType type) const;

  ValueTerms& terms_;
};

}  // namespace onceover::gpu
