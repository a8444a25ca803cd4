// Formulas in the languages of solvers: one walk over the tree, whatever the language.
#pragma once

#include <stdexcept>
#include <vector>

#include "schedules/formula.h"

namespace onceover::proofs {

/// Turns a formula into a backend's language. A backend has a type Int and a type Bool, and functions
///   number(int64), variable(index), negate(Int), add, subtract, multiply, divide, modulo(Int, Int), less_equal, less,
///   equal(Int, Int), choose(Bool, Int, Int), and logical_not(Bool), logical_and, logical_or, same(Bool, Bool),
///   choose_bool(Bool, Bool, Bool), truth(bool).
/// A number stands for "not 0" where a truth is wanted, a truth for 1 or 0 where a number is.
/// xor, shifts, rho, delta, log2, pow2 and what ceil makes of a division or a log2 go to the backend's apply(Kind, Int,
/// Int), whose last operand doesn't count for functions of one number. Without it, formulas with them throw
/// std::invalid_argument.
template <class Backend>
class Lowering {
 public:
  using Int = typename Backend::Int;
  using Bool = typename Backend::Bool;

  explicit Lowering(Backend& backend) : to_(backend) {}

  /// The formula as a sentence.
  Bool sentence(const Formula& formula) { return truth(value(formula)); }

  /// The formula as a number.
  Int number(const Formula& formula) { return number(value(formula)); }

 private:
  using Kind = Formula::Kind;

  /// A number or a truth.
  struct Value {
    bool is_truth;
    Int number;
    Bool truth;
  };

  const Value& value(const Formula& formula) {
    values_.clear();
    for (const Formula::Node& node : formula.nodes()) values_.push_back(lower(node));
    return values_.back();
  }

  Value make(Int number) { return {false, number, to_.truth(true)}; }
  Value make_truth(Bool truth) { return {true, to_.number(0), truth}; }

  Int number(const Value& v) { return v.is_truth ? to_.choose(v.truth, to_.number(1), to_.number(0)) : v.number; }
  Bool truth(const Value& v) { return v.is_truth ? v.truth : to_.logical_not(to_.equal(v.number, to_.number(0))); }

  const Value& operand(const Formula::Node& node, std::size_t k) const {
    return values_[static_cast<std::size_t>(node.operand[k])];
  }

  Value equal(const Value& a, const Value& b) {
    return make_truth(a.is_truth && b.is_truth ? to_.same(a.truth, b.truth) : to_.equal(number(a), number(b)));
  }

  Value choose(const Value& c, const Value& a, const Value& b) {
    if (a.is_truth && b.is_truth) return make_truth(to_.choose_bool(truth(c), a.truth, b.truth));
    return make(to_.choose(truth(c), number(a), number(b)));
  }

  Value lower(const Formula::Node& node) {
    auto a = [&] { return number(operand(node, 0)); };
    auto b = [&] { return number(operand(node, 1)); };
    auto p = [&] { return truth(operand(node, 0)); };
    auto q = [&] { return truth(operand(node, 1)); };
    auto parity_is = [&](std::int64_t bit) {
      return make_truth(to_.equal(to_.modulo(a(), to_.number(2)), to_.number(bit)));
    };
    switch (node.kind) {
      case Kind::number: return make(to_.number(node.value));
      case Kind::variable: return make(to_.variable(static_cast<std::size_t>(node.value)));
      case Kind::negate: return make(to_.negate(a()));
      case Kind::add: return make(to_.add(a(), b()));
      case Kind::subtract: return make(to_.subtract(a(), b()));
      case Kind::multiply: return make(to_.multiply(a(), b()));
      case Kind::divide: return make(to_.divide(a(), b()));
      case Kind::modulo: return make(to_.modulo(a(), b()));
      case Kind::absolute: return make(to_.choose(to_.less_equal(to_.number(0), a()), a(), to_.negate(a())));
      case Kind::minimum: return make(to_.choose(to_.less_equal(a(), b()), a(), b()));
      case Kind::maximum: return make(to_.choose(to_.less_equal(a(), b()), b(), a()));
      case Kind::even: return parity_is(0);
      case Kind::odd: return parity_is(1);
      case Kind::equal: return equal(operand(node, 0), operand(node, 1));
      case Kind::unequal: return make_truth(to_.logical_not(equal(operand(node, 0), operand(node, 1)).truth));
      case Kind::less: return make_truth(to_.less(a(), b()));
      case Kind::less_equal: return make_truth(to_.less_equal(a(), b()));
      case Kind::greater: return make_truth(to_.less(b(), a()));
      case Kind::greater_equal: return make_truth(to_.less_equal(b(), a()));
      case Kind::logical_not: return make_truth(to_.logical_not(p()));
      case Kind::logical_and: return make_truth(to_.logical_and(p(), q()));
      case Kind::logical_or: return make_truth(to_.logical_or(p(), q()));
      case Kind::choose: return choose(operand(node, 0), operand(node, 1), operand(node, 2));
      default: return applied(node);
    }
  }

  Value applied(const Formula::Node& node) {
    const bool has_two = Formula::operand_count(node.kind) == 2;
    const Int a = number(operand(node, 0)), b = has_two ? number(operand(node, 1)) : a;
    if constexpr (requires { to_.apply(node.kind, a, b); })
      return make(to_.apply(node.kind, a, b));
    else
      throw std::invalid_argument("a sentence for solvers has no xor, shift, rho, delta, log2, pow2 or ceil");
  }

  Backend& to_;
  std::vector<Value> values_;
};

}  // namespace onceover::proofs
