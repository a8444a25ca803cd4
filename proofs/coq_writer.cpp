#include "proofs/coq_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "proofs/lowering.h"
#include "proofs/query.h"

namespace onceover::proofs {

namespace {

/// Formulas as Coq's terms: truths as propositions, and as booleans where a conditional asks.
class CoqTerms {
 public:
  using Int = std::string;
  struct Bool {
    std::string prop;
    std::string boolean;
  };

  explicit CoqTerms(const std::vector<std::string>& names) : names_(names) {}

  Int number(std::int64_t n) { return n >= 0 ? fmt::format("{}", n) : fmt::format("({})", n); }
  Int variable(std::size_t k) { return names_[k]; }
  Int negate(const Int& a) { return fmt::format("(- {})", a); }
  Int add(const Int& a, const Int& b) { return infix(a, "+", b); }
  Int subtract(const Int& a, const Int& b) { return infix(a, "-", b); }
  Int multiply(const Int& a, const Int& b) { return infix(a, "*", b); }
  Int divide(const Int& a, const Int& b) { return infix(a, "/", b); }
  Int modulo(const Int& a, const Int& b) { return infix(a, "mod", b); }
  Int choose(const Bool& c, const Int& a, const Int& b) {
    return fmt::format("(if {} then {} else {})", c.boolean, a, b);
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
    return {fmt::format("(({0} -> {1}) /\\ (~ {0} -> {2}))", c.prop, a.prop, b.prop),
            fmt::format("(if {} then {} else {})", c.boolean, a.boolean, b.boolean)};
  }

 private:
  static std::string infix(const std::string& a, std::string_view between, const std::string& b) {
    return fmt::format("({} {} {})", a, between, b);
  }

  const std::vector<std::string>& names_;
};

constexpr std::string_view preamble = R"(Require Import ZArith Lia Bool.
Open Scope Z_scope.

Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.

Ltac cases := repeat match goal with
  | |- context [if ?c then _ else _] => let E := fresh in destruct c eqn:E
  | H : context [if ?c then _ else _] |- _ => let E := fresh in destruct c eqn:E
  end.

Ltac discharge := intros; cases; first [lia | nia].
)";

std::string lemma(const Obligation& o) {
  const std::vector<std::string> variables = variable_names(o.variables);
  CoqTerms terms(variables);
  Lowering<CoqTerms> lowering(terms);
  auto sentence = [&](std::string_view text) {
    const std::vector<std::string_view> names(variables.begin(), variables.end());
    return lowering.sentence(*Formula::parse(o.name, text, names)).prop;
  };
  std::string name(o.name);
  std::replace(name.begin(), name.end(), '-', '_');
  std::string text = fmt::format("\n(* {} *)\nLemma {} : forall {} : Z,\n", o.statement, name, o.variables);
  for (const std::string_view h : o.hypotheses) text += fmt::format("  {} ->\n", sentence(h));
  return text + fmt::format("  {}.\nProof. {} Qed.\n", sentence(o.goal), o.coq);
}

}  // namespace

std::string coq_obligations(const std::vector<const Theorem*>& theorems) {
  std::string text(preamble);
  for (const Theorem* theorem : theorems) {
    text += fmt::format("\n(* {}: {} *)\n", theorem->id, theorem->title);
    for (const Obligation& o : theorem->obligations) text += lemma(o);
  }
  return text;
}

}  // namespace onceover::proofs
