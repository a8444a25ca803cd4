#include "schedules/formula.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace onceover::schedules {

namespace {

using Kind = Formula::Kind;
using Number = std::int64_t;

/// A node's value, or why it has none.
struct Value {
  Number number = 0;
  const char* problem = nullptr;
  int at = 0;  // the node without a value
};

constexpr const char* does_not_fit = "the value does not fit in 64 bits";

Value floor_divide(Number a, Number b) {
  if (b <= 0) return {0, "division needs a divisor above 0"};
  return {a / b - (a % b < 0 ? 1 : 0)};
}

Value shift_left(Number a, Number by) {
  if (by < 0 || by > 62) return {0, "a shift is by 0 to 62 places"};
  Number shifted = 0;
  if (__builtin_mul_overflow(a, Number{1} << by, &shifted)) return {0, does_not_fit};
  return {shifted};
}

Value rho(Number s) {
  if (s < 0 || s > 60) return {0, "rho and delta are for steps 0 to 60"};
  return {(1 + (s % 2 == 0 ? 1 : -1) * (Number{1} << (s + 1))) / 3};
}

Value ceil_divide(Number a, Number b) {
  const Value below = floor_divide(a, b);
  if (below.problem != nullptr || a % b == 0) return below;
  return {below.number + 1};
}

Value log2(Number x) {
  if (x < 1) return {0, "log2 needs a number of at least 1"};
  return {static_cast<Number>(std::bit_width(static_cast<std::uint64_t>(x))) - 1};
}

/// Takes `result` by reference, because the operation that detects an overflow also writes the result.
Value checked(bool overflows, const Number& result) {
  return overflows ? Value{0, does_not_fit} : Value{result};
}

Value result_of(Kind kind, Number a, Number b) {
  Number result = 0;
  switch (kind) {
    case Kind::negate: return checked(__builtin_sub_overflow(Number{0}, a, &result), result);
    case Kind::absolute: return a >= 0 ? Value{a} : result_of(Kind::negate, a, 0);
    case Kind::add: return checked(__builtin_add_overflow(a, b, &result), result);
    case Kind::subtract: return checked(__builtin_sub_overflow(a, b, &result), result);
    case Kind::multiply: return checked(__builtin_mul_overflow(a, b, &result), result);
    case Kind::divide: return floor_divide(a, b);
    case Kind::divide_up: return ceil_divide(a, b);
    case Kind::log2_up: {
      const Value below = log2(a);
      const bool is_exact = below.problem != nullptr || (a & (a - 1)) == 0;
      return is_exact ? below : Value{below.number + 1};
    }
    case Kind::modulo:
      if (b <= 0) return {0, "mod needs a divisor above 0"};
      return {a % b + (a % b < 0 ? b : 0)};
    case Kind::exclusive_or: return {a ^ b};
    case Kind::shift_left: return shift_left(a, b);
    case Kind::shift_right:
      if (b < 0 || b > 62) return {0, "a shift is by 0 to 62 places"};
      return {a >> b};
    case Kind::equal: return {a == b};
    case Kind::unequal: return {a != b};
    case Kind::less: return {a < b};
    case Kind::less_equal: return {a <= b};
    case Kind::greater: return {a > b};
    case Kind::greater_equal: return {a >= b};
    case Kind::logical_not: return {a == 0};
    case Kind::rho: return rho(a);
    case Kind::delta: {
      const Value value = rho(a);
      return {std::abs(value.number), value.problem};
    }
    case Kind::even: return {a % 2 == 0};
    case Kind::odd: return {a % 2 != 0};
    case Kind::log2: return log2(a);
    case Kind::pow2: return shift_left(1, a);
    case Kind::minimum: return {std::min(a, b)};
    case Kind::maximum: return {std::max(a, b)};
    case Kind::floor:
    case Kind::ceil: return {a};
    case Kind::number:
    case Kind::variable:
    case Kind::choose:
    case Kind::logical_and:
    case Kind::logical_or: break;
  }
  return {0, "no operator"};
}

/// The value of an operator whose first operand decides which others it needs.
Value decide(const Formula::Node& node, const std::vector<Value>& values) {
  auto operand = [&](int k) { return values[static_cast<std::size_t>(node.operand[static_cast<std::size_t>(k)])]; };
  const Value first = operand(0);
  if (first.problem != nullptr) return first;
  if (node.kind == Kind::choose) return first.number != 0 ? operand(1) : operand(2);
  const bool settled = (first.number != 0) == (node.kind == Kind::logical_or);
  if (settled) return {first.number != 0};
  const Value second = operand(1);
  return second.problem != nullptr ? second : Value{second.number != 0};
}

}  // namespace

int Formula::operand_count(Kind kind) {
  switch (kind) {
    case Kind::number:
    case Kind::variable: return 0;
    case Kind::negate:
    case Kind::logical_not:
    case Kind::rho:
    case Kind::delta:
    case Kind::even:
    case Kind::odd:
    case Kind::log2:
    case Kind::log2_up:
    case Kind::pow2:
    case Kind::absolute:
    case Kind::floor:
    case Kind::ceil: return 1;
    case Kind::choose: return 3;
    default: return 2;
  }
}

tl::expected<Number, const char*> Formula::apply(Kind kind, Number a, Number b) {
  const Value value = result_of(kind, a, b);
  if (value.problem != nullptr) return tl::unexpected(value.problem);
  return value.number;
}

bool Formula::mentions(int variable) const {
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [=](const Node& node) { return node.kind == Kind::variable && node.value == variable; });
}

tl::expected<Number, Formula::Undefined> Formula::evaluate(std::span<const Number> variables) const {
  std::vector<Value> values;
  values.reserve(nodes_.size());
  for (const Node& node : nodes_) {
    Value value;
    if (node.kind == Kind::number) {
      value = {node.value};
    } else if (node.kind == Kind::variable) {
      value = {variables[static_cast<std::size_t>(node.value)]};
    } else if (node.kind == Kind::choose || node.kind == Kind::logical_and || node.kind == Kind::logical_or) {
      value = decide(node, values);
    } else {
      const Value a = values[static_cast<std::size_t>(node.operand[0])];
      const Value b = operand_count(node.kind) == 2 ? values[static_cast<std::size_t>(node.operand[1])] : Value{};
      if (a.problem != nullptr || b.problem != nullptr) {
        value = a.problem != nullptr ? a : b;
      } else {
        value = result_of(node.kind, a.number, b.number);
        value.at = static_cast<int>(values.size());
      }
    }
    values.push_back(value);
  }
  const Value& root = values.back();
  if (root.problem != nullptr)
    return tl::unexpected(Undefined{nodes_[static_cast<std::size_t>(root.at)].offset, root.problem});
  return root.number;
}

}  // namespace onceover::schedules
