#include "gpu/machine/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <utility>

#include "gpu/machine/numbers.h"
#include "gpu/memory/region.h"

namespace onceover::gpu {
namespace {

constexpr std::uint8_t lanes_side_by_side = 1;  // the detail of a packed term: c tells parts

double without_subnormal(double number) {
  return std::fabs(number) < 0x1p-126 ? std::copysign(0.0, number) : number;
}

double smaller(double a, double b, bool propagates) {
  if (propagates && (std::isnan(a) || std::isnan(b))) return NAN;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}

double larger(double a, double b, bool propagates) {
  if (propagates && (std::isnan(a) || std::isnan(b))) return NAN;
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

double applied(const Code& code, ElementType type, double x, double y, double z) {
  const bool is_single = type == ElementType::f32;
  const auto rounded = [&](double number) {
    return is_single ? static_cast<double>(static_cast<float>(number)) : number;
  };
  switch (code.opcode) {
    case Opcode::add: return is_single ? static_cast<double>(static_cast<float>(x) + static_cast<float>(y)) : x + y;
    case Opcode::subtract:
      return is_single ? static_cast<double>(static_cast<float>(x) - static_cast<float>(y)) : x - y;
    case Opcode::multiply:
      return is_single ? static_cast<double>(static_cast<float>(x) * static_cast<float>(y)) : x * y;
    case Opcode::fused:
      return is_single
                 ? static_cast<double>(std::fmaf(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)))
                 : std::fma(x, y, z);
    case Opcode::divide: return is_single ? static_cast<double>(static_cast<float>(x) / static_cast<float>(y)) : x / y;
    case Opcode::minimum: return smaller(x, y, code.has(Code::propagates_nan));
    case Opcode::maximum: return larger(x, y, code.has(Code::propagates_nan));
    case Opcode::absolute: return std::fabs(x);
    case Opcode::negate: return -x;
    case Opcode::square_root: return rounded(std::sqrt(x));
    case Opcode::reverse_square_root: return rounded(1 / std::sqrt(x));
    case Opcode::reciprocal: return rounded(1 / x);
    case Opcode::exponential: return rounded(std::exp2(x));
    case Opcode::logarithm: return rounded(std::log2(x));
    case Opcode::sine: return rounded(std::sin(x));
    case Opcode::cosine: return rounded(std::cos(x));
    case Opcode::hyperbolic_tangent: return rounded(std::tanh(x));
    case Opcode::copy_sign: return std::copysign(y, x);
    default: return NAN;
  }
}

bool compares(Relation relation, double x, double y) {
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (relation) {
    case Relation::eq: return x == y;
    case Relation::ne: return !unordered && x != y;
    case Relation::lt: return x < y;
    case Relation::le: return x <= y;
    case Relation::gt: return x > y;
    case Relation::ge: return x >= y;
    case Relation::equ: return unordered || x == y;
    case Relation::neu: return unordered || x != y;
    case Relation::ltu: return unordered || x < y;
    case Relation::leu: return unordered || x <= y;
    case Relation::gtu: return unordered || x > y;
    case Relation::geu: return unordered || x >= y;
    case Relation::num: return !unordered;
    case Relation::nan: return unordered;
  }
  return false;
}

template <class Integer>
bool compares_integers(Relation relation, Integer x, Integer y) {
  switch (relation) {
    case Relation::eq: return x == y;
    case Relation::ne: return x != y;
    case Relation::lt: return x < y;
    case Relation::le: return x <= y;
    case Relation::gt: return x > y;
    default: return x >= y;
  }
}

std::uint64_t product_high(std::uint64_t x, std::uint64_t y, std::uint32_t bytes, bool is_signed) {
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  if (is_signed)
    return static_cast<std::uint64_t>((static_cast<Wide>(as_signed(x, bytes)) * as_signed(y, bytes)) >> (8 * bytes));
  return static_cast<std::uint64_t>((static_cast<UnsignedWide>(x) * y) >> (8 * bytes));
}

std::uint64_t divided(std::uint64_t x, std::uint64_t y, const PtxType& type, bool remainder) {
  if (lowest(y, type.bytes) == 0) return remainder ? x : ~std::uint64_t{0};
  if (!type.is_signed()) return remainder ? x % y : x / y;
  const std::int64_t a = as_signed(x, type.bytes);
  const std::int64_t b = as_signed(y, type.bytes);
  if (b == -1) return remainder ? 0 : 0 - x;
  return static_cast<std::uint64_t>(remainder ? a % b : a / b);
}

std::uint64_t saturated_sum(const Code& code, std::uint64_t x, std::uint64_t y) {
  const std::int64_t a = as_signed(x, code.type.bytes);
  const std::int64_t b = as_signed(y, code.type.bytes);
  const std::int64_t sum = code.opcode == Opcode::add ? a + b : a - b;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}

std::uint64_t product(const Code& code, std::uint64_t x, std::uint64_t y) {
  const std::uint32_t bytes = code.type.bytes;
  const bool is_signed = code.type.is_signed();
  if (code.has(Code::is_wide))
    return is_signed ? static_cast<std::uint64_t>(as_signed(x, bytes) * as_signed(y, bytes)) : x * y;
  return code.has(Code::is_high) ? product_high(x, y, bytes, is_signed) : x * y;
}

/// What an instruction on integers makes of x and y, which have no bits beyond its type's, and of z. Only the lowest
/// bytes of the result count.
std::uint64_t applied(const Code& code, std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  const std::uint32_t bytes = code.type.bytes;
  const bool is_less = code.type.is_signed() ? as_signed(x, bytes) < as_signed(y, bytes) : x < y;
  switch (code.opcode) {
    case Opcode::add: return code.has(Code::saturates) ? saturated_sum(code, x, y) : x + y;
    case Opcode::subtract: return code.has(Code::saturates) ? saturated_sum(code, x, y) : x - y;
    case Opcode::multiply: return product(code, x, y);
    case Opcode::multiply_add: return product(code, x, y) + z;
    case Opcode::divide: return divided(x, y, code.type, false);
    case Opcode::remainder: return divided(x, y, code.type, true);
    case Opcode::minimum: return is_less ? x : y;
    case Opcode::maximum: return is_less ? y : x;
    case Opcode::absolute: return as_signed(x, bytes) < 0 ? 0 - x : x;
    case Opcode::negate: return 0 - x;
    case Opcode::absolute_difference: return (is_less ? y - x : x - y) + z;
    default: return 0;
  }
}

/// How the instruction combines terms; nothing if it makes opaque ones.
std::optional<Combining> combining(const Code& code) {
  if (code.has(Code::saturates)) return std::nullopt;
  switch (code.opcode) {
    case Opcode::add: return Combining::add;
    case Opcode::minimum: return Combining::minimum;
    case Opcode::maximum: return Combining::maximum;
    default: return std::nullopt;
  }
}

}  // namespace

bool can_be_plain(const Code& code) {
  if (code.type.is_floating() || code.type.number == NumberClass::predicate || code.type.bytes > 8 ||
      code.has(Code::saturates))
    return false;
  switch (code.opcode) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::multiply:
    case Opcode::multiply_add:
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::shift_left:
    case Opcode::shift_right:
    case Opcode::minimum:
    case Opcode::maximum: return !code.has(Code::is_high);
    case Opcode::convert: return !code.source_type.is_floating() && code.source_type.bytes <= 8;
    default: return false;
  }
}

bool Arithmetic::has_type(ValueTerm term, ElementType type) const {
  const TermNode& node = terms_[term];
  if (node.kind == TermKind::constant) return true;
  return node.type == type || (!is_floating(node.type) && !is_floating(type) && size_of(node.type) == size_of(type));
}

ValueTerm Arithmetic::term(const Value& value, ElementType type, std::uint32_t scalar) const {
  const std::size_t bytes = size_of(type);
  if (bytes == 1) {
    const Lane lane = value.lanes[scalar / 2];
    if (lane.is_empty()) return ValueTerm::none;
    const ValueTerm part =
        part_of_pair(terms_, lane, static_cast<std::uint16_t>(value.bits >> (16 * (scalar / 2))), scalar % 2 == 1);
    return terms_[part].kind == TermKind::constant ? ValueTerm::none : part;
  }
  const std::size_t lanes = bytes / 2;
  const Lane* first = value.lanes.data() + scalar * lanes;
  bool is_whole = !first->is_empty() && size_of(terms_[first->term()].type) == bytes;
  bool is_empty = true;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    is_whole = is_whole && first[lane] == Lane(first->term(), static_cast<std::uint32_t>(lane));
    is_empty = is_empty && first[lane].is_empty();
  }
  if (is_empty) return ValueTerm::none;
  if (is_whole || terms_[first->term()].kind == TermKind::unwritten) return first->term();
  const std::uint64_t bits = value.bits >> (8 * bytes * scalar);
  if (type == ElementType::f32 && first[0].is_empty() && (bits & 0xFFFF) == 0 && first[1].part() == 0 &&
      terms_[first[1].term()].type == ElementType::bf16)
    return terms_.converted(ElementType::f32, ElementType::bf16, first[1].term());
  return packed({first, lanes}, type, bits);
}

ValueTerm Arithmetic::packed(std::span<const Lane> lanes, ElementType type, std::uint64_t bits) const {
  ValueTerm packed = ValueTerm::none;
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Lane lane = lanes[k];
    const ValueTerm part = lane.is_empty() ? terms_.constant(ElementType::u16, bits >> (16 * k) & 0xFFFF) : lane.term();
    packed = terms_.packed(static_cast<std::uint8_t>(lanes_side_by_side + lane.part()), type, packed, part);
  }
  return packed;
}

ValueTerm Arithmetic::term_or_constant(const Value& value, ElementType type, std::uint32_t scalar) const {
  const ValueTerm found = term(value, type, scalar);
  if (found != ValueTerm::none) return found;
  const auto bytes = static_cast<std::uint32_t>(size_of(type));
  return terms_.constant(type, lowest(value.bits >> (8 * bytes * scalar), bytes));
}

void Arithmetic::set_term(Value& value, ElementType type, std::uint32_t scalar, ValueTerm term) const {
  if (term == ValueTerm::none || terms_[term].kind == TermKind::constant) return;
  const TermNode node = terms_[term];
  const std::size_t bytes = size_of(type);
  if (bytes == 1) {
    Lane& lane = value.lanes[scalar / 2];
    const auto bits = static_cast<std::uint16_t>(value.bits >> (16 * (scalar / 2)));
    const ValueTerm other = part_of_pair(terms_, lane, bits, scalar % 2 == 0);
    lane = scalar % 2 == 0 ? paired_lane(terms_, term, other) : paired_lane(terms_, other, term);
    return;
  }
  const std::size_t lanes = bytes / 2;
  if (type == ElementType::f32 && node.kind == TermKind::widened &&
      static_cast<ElementType>(node.c) == ElementType::bf16) {
    value.lanes[scalar * lanes + 1] = Lane(static_cast<ValueTerm>(node.a), 0);
    return;
  }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    value.lanes[scalar * lanes + lane] = Lane(term, static_cast<std::uint32_t>(lane));
}

ValueTerm Arithmetic::whole(const Value& value, std::uint32_t bytes) const {
  switch (bytes) {
    case 1: return term_or_constant(value, ElementType::u8, 0);
    case 2: return term_or_constant(value, ElementType::u16, 0);
    case 4: return term_or_constant(value, ElementType::u32, 0);
    default: return term_or_constant(value, ElementType::u64, 0);
  }
}

Value Arithmetic::opaque(Value result, Opcode opcode, std::uint32_t bytes, std::uint32_t operand_bytes, const Value& a,
                         const Value& b, const Value& c) const {
  if (a.is_concrete() && b.is_concrete() && c.is_concrete()) return result;
  const auto type = bytes == 8   ? ElementType::u64
                    : bytes == 4 ? ElementType::u32
                    : bytes == 2 ? ElementType::u16
                                 : ElementType::u8;
  const auto made = terms_.opaque(static_cast<std::uint8_t>(opcode), type, whole(a, operand_bytes),
                                  whole(b, operand_bytes), static_cast<std::uint32_t>(whole(c, operand_bytes)));
  set_term(result, type, 0, made);
  return result;
}

Value Arithmetic::opaque(Value result, const Code& code, std::uint32_t bytes, const Value& a, const Value& b,
                         const Value& c) const {
  return opaque(result, code.opcode, bytes, code.type.bytes, a, b, c);
}

Value Arithmetic::integer(const Code& code, const Value& a, const Value& b, const Value& c) const {
  const std::uint32_t bytes = code.type.bytes;
  const bool is_product = code.opcode == Opcode::multiply || code.opcode == Opcode::multiply_add;
  const std::uint32_t result_bytes = is_product && code.has(Code::is_wide) ? 2 * bytes : bytes;
  const std::uint64_t x = lowest(a.bits, bytes);
  const std::uint64_t y = lowest(b.bits, bytes);
  Value result = concrete(lowest(applied(code, x, y, c.bits), result_bytes));
  if (a.is_concrete() && b.is_concrete() && c.is_concrete()) return result;
  const bool keeps_left = (code.opcode == Opcode::add || code.opcode == Opcode::subtract) && b.is_concrete() && y == 0;
  if (keeps_left) return a;
  if (code.opcode == Opcode::add && a.is_concrete() && x == 0) return b;
  const ElementType type = code.type.element;
  if (const auto operation = combining(code)) {
    const ValueTerm left = term_or_constant(a, type, 0);
    const ValueTerm right = term_or_constant(b, type, 0);
    if (has_type(left, type) && has_type(right, type)) {
      set_term(result, type, 0, terms_.combined(*operation, type, left, right));
      return result;
    }
  }
  return opaque(result, code, result_bytes, a, b, c);
}

ValueTerm Arithmetic::floating_term(const Code& code, ElementType type, std::array<ValueTerm, 3> terms,
                                    std::array<double, 3> numbers) const {
  const auto [a, b, c] = terms;
  const bool are_typed = has_type(a, type) && has_type(b, type) && has_type(c, type);
  const auto is_one = [&](std::size_t at) { return terms_[terms[at]].kind == TermKind::constant && numbers[at] == 1; };
  if (are_typed && !code.has(Code::saturates) && !code.has(Code::relu)) {
    switch (code.opcode) {
      case Opcode::add: return terms_.combined(Combining::add, type, a, b);
      case Opcode::subtract:
        if (terms_[b].kind == TermKind::constant && numbers[1] == 0) return a;
        break;
      case Opcode::multiply:
        if (is_one(0)) return b;
        if (is_one(1)) return a;
        return terms_.combined(Combining::multiply, type, a, b);
      case Opcode::fused:
        if (is_one(0)) return terms_.combined(Combining::add, type, b, c);
        if (is_one(1)) return terms_.combined(Combining::add, type, a, c);
        break;
      case Opcode::minimum: return terms_.combined(Combining::minimum, type, a, b);
      case Opcode::maximum: return terms_.combined(Combining::maximum, type, a, b);
      default: break;
    }
  }
  return terms_.opaque(static_cast<std::uint8_t>(code.opcode), type, a, b, static_cast<std::uint32_t>(c));
}

Value Arithmetic::floating(const Code& code, const Value& a, const Value& b, const Value& c) const {
  const ElementType type = code.type.element;
  const auto bytes = static_cast<std::uint32_t>(size_of(type));
  const bool is_concrete = a.is_concrete() && b.is_concrete() && c.is_concrete();
  const bool flushes = code.has(Code::flushes) && type == ElementType::f32;
  Value result;
  for (std::uint32_t scalar = 0; scalar < code.type.scalars; ++scalar) {
    const auto number = [&](const Value& value) {
      const double read = number_of(type, value.bits >> (8 * bytes * scalar));
      return flushes ? without_subnormal(read) : read;
    };
    const std::array numbers{number(a), number(b), number(c)};
    double made = applied(code, type, numbers[0], numbers[1], numbers[2]);
    if (flushes) made = without_subnormal(made);
    if (code.has(Code::saturates)) made = std::isnan(made) ? 0 : std::clamp(made, 0.0, 1.0);
    if (code.has(Code::relu)) made = larger(made, 0, true);
    result.bits |= bits_of(type, made) << (8 * bytes * scalar);
    if (is_concrete) continue;
    const std::array terms{term(a, type, scalar), term(b, type, scalar), term(c, type, scalar)};
    if (terms[0] == ValueTerm::none && terms[1] == ValueTerm::none && terms[2] == ValueTerm::none) continue;
    const std::array all{term_or_constant(a, type, scalar), term_or_constant(b, type, scalar),
                         term_or_constant(c, type, scalar)};
    set_term(result, type, scalar, floating_term(code, type, all, numbers));
  }
  return result;
}

Value Arithmetic::bitwise(Opcode opcode, const Value& a, const Value& b, std::uint32_t bytes) const {
  Value result;
  result.bits = opcode == Opcode::bit_and  ? a.bits & b.bits
                : opcode == Opcode::bit_or ? a.bits | b.bits
                                           : a.bits ^ b.bits;
  if (a.is_concrete() && b.is_concrete()) return result;
  for (std::size_t lane = 0; lane < std::max<std::size_t>(1, bytes / 2); ++lane) {
    const Lane x = a.lanes[lane];
    const Lane y = b.lanes[lane];
    if (x.is_empty() && y.is_empty()) continue;
    const auto x_bits = static_cast<std::uint16_t>(a.bits >> (16 * lane));
    const auto y_bits = static_cast<std::uint16_t>(b.bits >> (16 * lane));
    const std::uint16_t neutral = opcode == Opcode::bit_and ? 0xFFFF : 0;
    const bool clears = opcode == Opcode::bit_and && ((x.is_empty() && x_bits == 0) || (y.is_empty() && y_bits == 0));
    if (clears || (opcode == Opcode::bit_xor && x == y)) continue;
    if (x == y || (y.is_empty() && y_bits == neutral)) {
      result.lanes[lane] = x;
    } else if (x.is_empty() && x_bits == neutral) {
      result.lanes[lane] = y;
    } else if (opcode == Opcode::bit_and && y.is_empty() && y_bits == 0x00FF) {
      const ValueTerm byte = part_of_pair(terms_, x, x_bits, false);
      if (terms_[byte].kind != TermKind::constant) result.lanes[lane] = Lane(byte, 0);
    } else {
      const Value left{x_bits, {x}};
      const Value right{y_bits, {y}};
      result.lanes[lane] = opaque(concrete(0), opcode, 2, 2, left, right, concrete(0)).lanes[0];
    }
  }
  return result;
}

Value Arithmetic::logic3(const Code& code, const Value& a, const Value& b, const Value& c, const Value& table) const {
  std::uint64_t bits = 0;
  for (std::uint32_t row = 0; row < 8; ++row) {
    if ((table.bits >> row & 1) == 0) continue;
    bits |=
        ((row & 4) != 0 ? a.bits : ~a.bits) & ((row & 2) != 0 ? b.bits : ~b.bits) & ((row & 1) != 0 ? c.bits : ~c.bits);
  }
  const Value result = concrete(lowest(bits, 4));
  if (a.is_concrete() && b.is_concrete() && c.is_concrete()) return result;
  // Tables of two operands, as compilers make them of masks.
  switch (table.bits) {
    case 0xC0: return bitwise(Opcode::bit_and, a, b, 4);
    case 0xFC: return bitwise(Opcode::bit_or, a, b, 4);
    case 0x3C: return bitwise(Opcode::bit_xor, a, b, 4);
    case 0xEA: return bitwise(Opcode::bit_or, bitwise(Opcode::bit_and, a, b, 4), c, 4);
    case 0xF8: return bitwise(Opcode::bit_or, a, bitwise(Opcode::bit_and, b, c, 4), 4);
    case 0x80: return bitwise(Opcode::bit_and, bitwise(Opcode::bit_and, a, b, 4), c, 4);
    case 0xFE: return bitwise(Opcode::bit_or, bitwise(Opcode::bit_or, a, b, 4), c, 4);
    default: return opaque(result, code, 4, a, b, c);
  }
}

Value Arithmetic::shifted_left(const Value& a, std::uint64_t by, std::uint32_t bytes) const {
  Value result = concrete(by >= 8 * bytes ? 0 : lowest(a.bits << by, bytes));
  if (a.is_concrete() || by >= 8 * bytes) return result;
  if (by % 16 != 0) {
    if (by == 8 && bytes >= 2 && size_of(terms_[a.lanes[0].term()].type) == 1 && !a.lanes[0].is_empty() &&
        a.lanes[1].is_empty()) {
      const ValueTerm low = part_of_pair(terms_, a.lanes[0], static_cast<std::uint16_t>(a.bits), false);
      result.lanes[0] = paired_lane(terms_, terms_.constant(ElementType::u8, 0), low);
      return result;
    }
    return opaque(result, Opcode::shift_left, bytes, bytes, a, concrete(by), concrete(0));
  }
  for (std::size_t lane = by / 16; lane < bytes / 2; ++lane) result.lanes[lane] = a.lanes[lane - by / 16];
  return result;
}

Value Arithmetic::shifted_right(const Value& a, std::uint64_t by, std::uint32_t bytes, bool is_signed) const {
  const std::uint64_t most = std::min<std::uint64_t>(by, 63);
  const std::uint64_t bits = is_signed         ? static_cast<std::uint64_t>(as_signed(a.bits, bytes) >> most)
                             : by >= 8 * bytes ? 0
                                               : lowest(a.bits, bytes) >> by;
  Value result = concrete(lowest(bits, bytes));
  if (a.is_concrete() || (by >= 8 * bytes && !is_signed)) return result;
  if (!is_signed && by % 16 == 0) {
    for (std::size_t lane = 0; lane + by / 16 < bytes / 2; ++lane) result.lanes[lane] = a.lanes[lane + by / 16];
    return result;
  }
  if (!is_signed && by % 16 == 8 && holds_only_pairs(a, by / 16, bytes)) {
    result.lanes = lanes_one_byte_on(a, by / 16, bytes);
    return result;
  }
  return opaque(result, Opcode::shift_right, bytes, bytes, a, concrete(by), concrete(0));
}

bool Arithmetic::holds_only_pairs(const Value& a, std::size_t first, std::uint32_t bytes) const {
  return std::all_of(a.lanes.begin() + static_cast<std::ptrdiff_t>(first), a.lanes.begin() + bytes / 2,
                     [&](Lane lane) { return lane.is_empty() || terms_[lane.term()].kind == TermKind::packed; });
}

std::array<Lane, 4> Arithmetic::lanes_one_byte_on(const Value& a, std::size_t first, std::uint32_t bytes) const {
  std::array<Lane, 4> moved{};
  const auto byte_of = [&](std::size_t lane, bool upper) {
    if (lane >= bytes / 2) return terms_.constant(ElementType::u8, 0);
    return part_of_pair(terms_, a.lanes[lane], static_cast<std::uint16_t>(a.bits >> (16 * lane)), upper);
  };
  for (std::size_t lane = 0; lane + first < bytes / 2; ++lane)
    moved[lane] = paired_lane(terms_, byte_of(lane + first, true), byte_of(lane + first + 1, false));
  return moved;
}

Value Arithmetic::funnel(const Code& code, const Value& a, const Value& b, std::uint64_t by) const {
  by = lowest(by, 4);
  by = code.has(Code::wraps) ? by & 31 : std::min<std::uint64_t>(by, 32);
  Value both = concrete(lowest(a.bits, 4) | b.bits << 32);
  both.lanes = {a.lanes[0], a.lanes[1], b.lanes[0], b.lanes[1]};
  const Value shifted = code.has(Code::is_left) ? shifted_left(both, by, 8) : shifted_right(both, by, 8, false);
  if (!code.has(Code::is_left)) return {lowest(shifted.bits, 4), {shifted.lanes[0], shifted.lanes[1]}};
  return {shifted.bits >> 32, {shifted.lanes[2], shifted.lanes[3]}};
}

Value Arithmetic::extracted(const Code& code, const Value& a, const Value& b, const Value& c) const {
  const std::uint32_t bytes = code.type.bytes;
  const std::uint64_t start = b.bits & 0xFF;
  const std::uint64_t length = c.bits & 0xFF;
  const std::uint64_t mask = length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
  const bool fills = code.type.is_signed() && length > 0 && length < code.type.bits();
  const Value field =
      bitwise(Opcode::bit_and, shifted_right(a, start, bytes, false), concrete(lowest(mask, bytes)), bytes);
  if (!fills) return field;
  const std::uint64_t sign_at = std::min<std::uint64_t>(start + length - 1, code.type.bits() - 1);
  const bool is_negative = (a.bits >> sign_at & 1) != 0;
  return opaque(concrete(lowest(is_negative ? field.bits | ~mask : field.bits, bytes)), code, bytes, a, b, c);
}

Value Arithmetic::inserted(const Code& code, const Value& a, const Value& b, const Value& c, const Value& d) const {
  const std::uint32_t bytes = code.type.bytes;
  const std::uint64_t start = c.bits & 0xFF;
  const std::uint64_t length = d.bits & 0xFF;
  if (start >= code.type.bits()) return b;
  const std::uint64_t ones = length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1;
  const std::uint64_t mask = lowest(ones << start, bytes);
  const Value field = bitwise(Opcode::bit_and, shifted_left(a, start, bytes), concrete(mask), bytes);
  return bitwise(Opcode::bit_or, field, bitwise(Opcode::bit_and, b, concrete(lowest(~mask, bytes)), bytes), bytes);
}

Value Arithmetic::permuted(const Value& a, const Value& b, std::uint64_t selector) const {
  const std::uint64_t source = lowest(a.bits, 4) | b.bits << 32;
  const std::array lanes{a.lanes[0], a.lanes[1], b.lanes[0], b.lanes[1]};
  Value result;
  for (std::uint32_t byte = 0; byte < 4; ++byte) {
    const std::uint64_t from = selector >> (4 * byte) & 15;
    std::uint64_t bits = source >> (8 * (from & 7)) & 0xFF;
    if ((from & 8) != 0) bits = (bits & 0x80) != 0 ? 0xFF : 0;
    result.bits |= bits << (8 * byte);
  }
  if (a.is_concrete() && b.is_concrete()) return result;
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint64_t both = selector >> (8 * half);
    result.lanes[half] = permuted_lane(source, lanes, both & 15, both >> 4 & 15);
  }
  return result;
}

Lane Arithmetic::permuted_lane(std::uint64_t source, const std::array<Lane, 4>& lanes, std::uint64_t low,
                               std::uint64_t high) const {
  const Lane of_low = lanes[(low & 7) / 2];
  const Lane of_high = lanes[(high & 7) / 2];
  if (of_low.is_empty() && of_high.is_empty()) return {};
  if (high == low + 1 && low % 2 == 0 && low < 8) return of_low;
  const auto bits_at = [&](std::uint64_t from) {
    return static_cast<std::uint16_t>(source >> (16 * ((from & 7) / 2)));
  };
  if (low < 8 && high < 8)
    return paired_lane(terms_, part_of_pair(terms_, of_low, bits_at(low), low % 2 == 1),
                       part_of_pair(terms_, of_high, bits_at(high), high % 2 == 1));
  const Value left{bits_at(low), {of_low}}, right{bits_at(high), {of_high}};
  return opaque(concrete(0), Opcode::permute, 2, 2, left, right, concrete(low << 4 | high)).lanes[0];
}

Value Arithmetic::counted(const Code& code, const Value& a) const {
  const std::uint32_t bits = code.type.bits();
  const std::uint64_t x = lowest(a.bits, code.type.bytes);
  std::uint64_t made = 0;
  switch (code.opcode) {
    case Opcode::count_ones: made = static_cast<std::uint64_t>(std::popcount(x)); break;
    case Opcode::leading_zeros: made = static_cast<std::uint64_t>(std::countl_zero(x)) - (64 - bits); break;
    case Opcode::find_highest: {
      const bool is_negative = code.type.is_signed() && as_signed(x, code.type.bytes) < 0;
      const std::uint64_t searched = is_negative ? lowest(~x, code.type.bytes) : x;
      made = searched == 0 ? 0xFFFFFFFF : 63 - static_cast<std::uint64_t>(std::countl_zero(searched));
      break;
    }
    default:
      for (std::uint32_t bit = 0; bit < bits; ++bit) made |= (x >> bit & 1) << (bits - 1 - bit);
      return opaque(concrete(made), code, code.type.bytes, a, concrete(0), concrete(0));
  }
  return opaque(concrete(made), code, 4, a, concrete(0), concrete(0));
}

Value Arithmetic::converted_scalar(const Code& code, ElementType from, const Value& a, std::uint32_t from_scalar,
                                   std::uint32_t to_scalar) const {
  const ElementType to = code.type.element;
  const auto to_bytes = static_cast<std::uint32_t>(size_of(to));
  double number = number_of(from, a.bits >> (8 * size_of(from) * from_scalar));
  if (code.has(Code::flushes) && (from == ElementType::f32 || to == ElementType::f32))
    number = without_subnormal(number);
  bool is_plain = !code.has(Code::relu);
  switch (static_cast<Rounding>(code.mode)) {
    case Rounding::nearest_integer:
      number = std::nearbyint(number);
      is_plain = false;
      break;
    case Rounding::zero_integer:
      number = std::trunc(number);
      is_plain = false;
      break;
    case Rounding::down_integer:
      number = std::floor(number);
      is_plain = false;
      break;
    case Rounding::up_integer:
      number = std::ceil(number);
      is_plain = false;
      break;
    default: break;
  }
  if (code.has(Code::relu)) number = larger(number, 0, true);
  const bool is_small = to == ElementType::e4m3 || to == ElementType::e5m2;
  if (code.has(Code::saturates) && !is_small) {
    number = std::isnan(number) ? 0 : std::clamp(number, 0.0, 1.0);
    is_plain = false;
  }
  Value result = concrete(bits_of(to, number, is_small && code.has(Code::saturates)) << (8 * to_bytes * to_scalar));
  const ValueTerm term = this->term(a, from, from_scalar);
  if (term == ValueTerm::none) return result;
  const bool keeps = is_plain && has_type(term, from);
  set_term(result, to, to_scalar,
           keeps ? terms_.converted(to, from, term)
                 : terms_.opaque(static_cast<std::uint8_t>(Opcode::convert), to, term, ValueTerm::none, code.mode));
  return result;
}

Value Arithmetic::converted_integer(const Code& code, const Value& a) const {
  const std::uint32_t from_bytes = code.source_type.bytes;
  const std::uint32_t to_bytes = code.type.bytes;
  const auto opaque_of_a = [&](std::uint64_t bits) {
    return opaque(concrete(lowest(bits, to_bytes)), Opcode::convert, to_bytes, from_bytes, a, concrete(0), concrete(0));
  };
  if (code.type.is_floating()) {
    const double number = code.source_type.is_signed() ? static_cast<double>(as_signed(a.bits, from_bytes))
                                                       : static_cast<double>(lowest(a.bits, from_bytes));
    if (code.type.element == ElementType::f32) {
      const float single = code.source_type.is_signed() ? static_cast<float>(as_signed(a.bits, from_bytes))
                                                        : static_cast<float>(lowest(a.bits, from_bytes));
      return opaque_of_a(std::bit_cast<std::uint32_t>(single));
    }
    return opaque_of_a(bits_of(code.type.element, number));
  }
  if (code.source_type.is_floating()) {
    double number = number_of(code.source_type.element, a.bits);
    switch (static_cast<Rounding>(code.mode)) {
      case Rounding::nearest_integer: number = std::nearbyint(number); break;
      case Rounding::down_integer: number = std::floor(number); break;
      case Rounding::up_integer: number = std::ceil(number); break;
      default: number = std::trunc(number); break;
    }
    const int bits = static_cast<int>(code.type.bits());
    if (std::isnan(number)) return opaque_of_a(code.type.bytes == 8 ? std::uint64_t{1} << 63 : 0);
    const double low = code.type.is_signed() ? -std::ldexp(1, bits - 1) : 0;
    const double end = std::ldexp(1, code.type.is_signed() ? bits - 1 : bits);
    if (number < low) return opaque_of_a(code.type.is_signed() ? std::uint64_t{1} << (bits - 1) : 0);
    if (number >= end)
      return opaque_of_a(code.type.is_signed() ? (std::uint64_t{1} << (bits - 1)) - 1 : ~std::uint64_t{0});
    return opaque_of_a(code.type.is_signed() ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                                             : static_cast<std::uint64_t>(number));
  }
  std::uint64_t bits = code.source_type.is_signed() ? static_cast<std::uint64_t>(as_signed(a.bits, from_bytes))
                                                    : lowest(a.bits, from_bytes);
  bool is_changed = false;
  if (code.has(Code::saturates)) {
    const int width = static_cast<int>(code.type.bits());
    const std::uint64_t before = bits;
    if (width < 64) {
      const auto value = static_cast<std::int64_t>(bits);
      const std::int64_t low = code.type.is_signed() ? -(std::int64_t{1} << (width - 1)) : 0;
      const std::int64_t high = (std::int64_t{1} << (code.type.is_signed() ? width - 1 : width)) - 1;
      const bool is_huge = !code.source_type.is_signed() && bits > static_cast<std::uint64_t>(high);
      bits = is_huge ? static_cast<std::uint64_t>(high) : static_cast<std::uint64_t>(std::clamp(value, low, high));
    } else if (code.source_type.is_signed() != code.type.is_signed()) {
      if (static_cast<std::int64_t>(bits) < 0) bits = code.type.is_signed() ? INT64_MAX : 0;
    }
    is_changed = bits != before;
  }
  Value result = concrete(lowest(bits, to_bytes));
  if (a.is_concrete()) return result;
  const bool extends_sign = code.source_type.is_signed() && to_bytes > from_bytes;
  if (is_changed || extends_sign) return opaque_of_a(bits);
  if (to_bytes == 1 || from_bytes == 1) {
    set_term(result, ElementType::u8, 0, term(a, ElementType::u8, 0));
    if (to_bytes > 1 && !result.lanes[0].is_empty()) result.lanes[0] = Lane(term(a, ElementType::u8, 0), 0);
    return result;
  }
  for (std::size_t lane = 0; lane < std::min(from_bytes, to_bytes) / 2; ++lane) result.lanes[lane] = a.lanes[lane];
  return result;
}

Value Arithmetic::converted(const Code& code, const Value& a, const Value& b) const {
  const bool between_floats = code.type.is_floating() && code.source_type.is_floating();
  if (!between_floats) return converted_integer(code, a);
  const ElementType from = code.source_type.element;
  if (code.type.scalars == 1) return converted_scalar(code, from, a, 0, 0);
  // Of two sources the first becomes the upper half.
  const bool has_pair = code.source_type.scalars == 2;
  Value result = converted_scalar(code, from, has_pair ? a : b, 0, 0);
  const Value high = converted_scalar(code, from, a, has_pair ? 1 : 0, 1);
  const ElementType to = code.type.element;
  const ValueTerm low_term = term(result, to, 0);
  const ValueTerm high_term = term(high, to, 1);
  result.bits |= high.bits;
  result.lanes = {};
  set_term(result, to, 0, low_term);
  set_term(result, to, 1, high_term);
  return result;
}

Value Arithmetic::result(const Code& code, const Value& a, const Value& b, const Value& c, const Value& d) const {
  const std::uint32_t bytes = code.type.bytes;
  switch (code.opcode) {
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor: return bitwise(code.opcode, a, b, bytes);
    case Opcode::bit_not:
      if (code.type.number == NumberClass::predicate) return concrete(~a.bits & 1);
      return opaque(concrete(lowest(~a.bits, bytes)), code, bytes, a, concrete(0), concrete(0));
    case Opcode::is_zero:
      return opaque(concrete(lowest(a.bits, bytes) == 0 ? 1 : 0), code, bytes, a, concrete(0), concrete(0));
    case Opcode::shift_left: return shifted_left(a, lowest(b.bits, 4), bytes);
    case Opcode::shift_right: return shifted_right(a, lowest(b.bits, 4), bytes, code.type.is_signed());
    case Opcode::funnel_shift: return funnel(code, a, b, c.bits);
    case Opcode::extract_bits: return extracted(code, a, b, c);
    case Opcode::insert_bits: return inserted(code, a, b, c, d);
    case Opcode::logic3: return logic3(code, a, b, c, d);
    case Opcode::permute: return permuted(a, b, c.bits);
    case Opcode::count_ones:
    case Opcode::leading_zeros:
    case Opcode::find_highest:
    case Opcode::reverse_bits: return counted(code, a);
    case Opcode::convert: return converted(code, a, b);
    default: return code.type.is_floating() ? floating(code, a, b, c) : integer(code, a, b, c);
  }
}

bool Arithmetic::holds(const Code& code, const PtxType& type, const Value& a, const Value& b,
                       std::uint32_t scalar) const {
  const auto relation = static_cast<Relation>(code.mode);
  if (type.is_floating()) {
    const std::size_t shift = 8 * size_of(type.element) * scalar;
    double x = number_of(type.element, a.bits >> shift);
    double y = number_of(type.element, b.bits >> shift);
    if (code.has(Code::flushes) && type.element == ElementType::f32) {
      x = without_subnormal(x);
      y = without_subnormal(y);
    }
    return compares(relation, x, y);
  }
  if (type.is_signed())
    return compares_integers(relation, as_signed(a.bits, type.bytes), as_signed(b.bits, type.bytes));
  return compares_integers(relation, lowest(a.bits, type.bytes), lowest(b.bits, type.bytes));
}

Value Arithmetic::combined(Combining operation, const PtxType& type, const Value& a, const Value& b,
                           const Code& code) const {
  Code as = code;
  as.type = type;
  as.flags = 0;
  switch (operation) {
    case Combining::add: as.opcode = Opcode::add; break;
    case Combining::minimum: as.opcode = Opcode::minimum; break;
    case Combining::maximum: as.opcode = Opcode::maximum; break;
    case Combining::multiply: as.opcode = Opcode::multiply; break;
    case Combining::bit_and: as.opcode = Opcode::bit_and; break;
    case Combining::bit_or: as.opcode = Opcode::bit_or; break;
    case Combining::bit_xor: as.opcode = Opcode::bit_xor; break;
  }
  return result(as, a, b, concrete(0), concrete(0));
}

Value Arithmetic::atomic(const Code& code, const Value& old, const Value& operand) const {
  const std::uint32_t bytes = code.type.bytes;
  switch (static_cast<AtomicOperation>(code.mode)) {
    case AtomicOperation::add: return combined(Combining::add, code.type, old, operand, code);
    case AtomicOperation::minimum: return combined(Combining::minimum, code.type, old, operand, code);
    case AtomicOperation::maximum: return combined(Combining::maximum, code.type, old, operand, code);
    case AtomicOperation::bit_and: return combined(Combining::bit_and, code.type, old, operand, code);
    case AtomicOperation::bit_or: return combined(Combining::bit_or, code.type, old, operand, code);
    case AtomicOperation::bit_xor: return combined(Combining::bit_xor, code.type, old, operand, code);
    case AtomicOperation::increment:
      return concrete(lowest(old.bits, bytes) >= lowest(operand.bits, bytes) ? 0 : old.bits + 1);
    case AtomicOperation::decrement:
      return concrete(old.bits == 0 || lowest(old.bits, bytes) > lowest(operand.bits, bytes) ? operand.bits
                                                                                             : old.bits - 1);
    case AtomicOperation::exchange:
    case AtomicOperation::compare_and_swap: return operand;
  }
  return operand;
}

}  // namespace onceover::gpu
