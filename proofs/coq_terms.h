// Formulas in the language of Coq.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "proofs/lowering.h"

namespace onceover::proofs {

/// Formulas as Coq's terms: truths as propositions, and as booleans where a conditional asks.
class CoqTerms {
 public:
  using Int = std::string;
  struct Bool {
    std::string prop;
    std::string boolean;
  };

  explicit CoqTerms(std::vector<std::string> names) : names_(std::move(names)) {}

  Int number(std::int64_t n) { return n >= 0 ? fmt::format("{}", n) : fmt::format("({})", n); }
  Int variable(std::size_t k) { return names_[k]; }
  Int negate(const Int& a) { return fmt::format("(- {})", a); }
  Int add(const Int& a, const Int& b) { return infix(a, "+", b); }
  Int subtract(const Int& a, const Int& b) { return infix(a, "-", b); }
  Int multiply(const Int& a, const Int& b) { return infix(a, "*", b); }
  Int divide(const Int& a, const Int& b) { return infix(a, "/", b); }
  Int modulo(const Int& a, const Int& b) { return infix(a, "mod", b); }
  Int choose(const Bool& c, const Int& a, const Int& b) {
    return within_limit(fmt::format("(if {} then {} else {})", c.boolean, a, b));
  }
  /// The functions that solvers don't have, as the theory calls them (coq/Formulas.v).
  Int apply(Formula::Kind kind, const Int& a, const Int& b) {
    using Kind = Formula::Kind;
    switch (kind) {
      case Kind::exclusive_or: return call("Z.lxor", a, b);
      case Kind::shift_left: return call("Z.shiftl", a, b);
      case Kind::shift_right: return call("Z.shiftr", a, b);
      case Kind::rho: return call("rho", a);
      case Kind::delta: return call("delta", a);
      case Kind::log2: return call("Z.log2", a);
      case Kind::log2_up: return call("Z.log2_up", a);
      case Kind::pow2: return infix("2", "^", a);
      case Kind::divide_up: return negate(divide(negate(a), b));
      default: throw std::logic_error("no function on whole numbers");
    }
  }
  Bool truth(bool b) { return b ? Bool{"True", "true"} : Bool{"False", "false"}; }
  Bool equal(const Int& a, const Int& b) { return {infix(a, "=", b), infix(a, "=?", b)}; }
  Bool less(const Int& a, const Int& b) { return {infix(a, "<", b), infix(a, "<?", b)}; }
  Bool less_equal(const Int& a, const Int& b) { return {infix(a, "<=", b), infix(a, "<=?", b)}; }
  Bool logical_not(const Bool& a) { return {fmt::format("(~ {})", a.prop), fmt::format("(negb {})", a.boolean)}; }
  Bool logical_and(const Bool& a, const Bool& b) {
    return {infix(a.prop, "/\\", b.prop), infix(a.boolean, "&&", b.boolean)};
  }
  Bool logical_or(const Bool& a, const Bool& b) {
    return {infix(a.prop, "\\/", b.prop), infix(a.boolean, "||", b.boolean)};
  }
  Bool same(const Bool& a, const Bool& b) {
    return {infix(a.prop, "<->", b.prop), fmt::format("(Bool.eqb {} {})", a.boolean, b.boolean)};
  }
  Bool choose_bool(const Bool& c, const Bool& a, const Bool& b) {
    return {within_limit(fmt::format("(({0} -> {1}) /\\ (~ {0} -> {2}))", c.prop, a.prop, b.prop)),
            choose(c, a.boolean, b.boolean)};
  }

 private:
  static std::string call(std::string_view function, const std::string& a) {
    return fmt::format("({} {})", function, a);
  }
  static std::string call(std::string_view function, const std::string& a, const std::string& b) {
    return within_limit(fmt::format("({} {} {})", function, a, b));
  }
  static std::string infix(const std::string& a, std::string_view between, const std::string& b) {
    return within_limit(fmt::format("({} {} {})", a, between, b));
  }

  static constexpr std::size_t most_characters = 1 << 20;

  /// Throws std::length_error if the text is too long: nested conditionals double it.
  static std::string within_limit(std::string text) {
    if (text.size() > most_characters) throw std::length_error("a term is too long for Coq");
    return text;
  }

  std::vector<std::string> names_;
};

}  // namespace onceover::proofs
