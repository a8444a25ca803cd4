#include "proofs/coq_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

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

constexpr std::string_view preamble = R"(Require Import ZArith Lia Bool.
Open Scope Z_scope.

Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.

Ltac cases := repeat match goal with
  | |- context [if ?c then _ else _] => let E := fresh in destruct c eqn:E
  | H : context [if ?c then _ else _] |- _ => let E := fresh in destruct c eqn:E
  end.

Ltac discharge := intros; cases; first [lia | nia].
)";

}  // namespace

std::string coq_name(const Obligation& o) {
  std::string name(o.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string coq_statement(const Obligation& o) {
  const std::vector<std::string> variables = variable_names(o.variables);
  const std::vector<std::string_view> names(variables.begin(), variables.end());
  CoqTerms terms(variables);
  Lowering<CoqTerms> lowering(terms);
  auto sentence = [&](std::string_view text) { return lowering.sentence(*Formula::parse(o.name, text, names)).prop; };
  std::string text = fmt::format("{} : forall {} : Z,\n", coq_name(o), o.variables);
  for (const std::string_view h : o.hypotheses) text += fmt::format("  {} ->\n", sentence(h));
  return text + fmt::format("  {}.\n", sentence(o.goal));
}

std::string coq_lemma(const Obligation& o) {
  return fmt::format("\n(* {} *)\nLemma {}Proof. {} Qed.\n", o.statement, coq_statement(o), o.coq);
}

std::string coq_obligations(const std::vector<const Theorem*>& theorems) {
  std::string text(preamble);
  for (const Theorem* theorem : theorems) {
    text += fmt::format("\n(* {}: {} *)\n", theorem->id, theorem->title);
    for (const Obligation& o : theorem->obligations) text += coq_lemma(o);
  }
  return text;
}

// Writes a formula's proof for Coq. The formula is defined as the user wrote it, beside f(s) and the interval's ends as
// the solver's sentences have them. Then come the obligations, and the theorem, which applies that of the family. Coq
// so checks that the formula is of the family, and that the theorem's hypotheses are the very sentences.
//
// Example: r + pow2(s) becomes Definition peer (r s p : Z) : Z := (r + (2 ^ s)), with f = pw, lo3 = 0 and
// hi3 = 3 * pw + -3.
//
// A formula has at most 4096 bytes, and so many nodes; a term may double at each, up to the limit of CoqTerms.

namespace {

constexpr std::string_view formula_preamble = R"(Require Import ZArith Lia Bool.
From Collectives Require Import Semantics Factors Formulas Families.
Open Scope Z_scope.

Ltac Zify.zify_post_hook ::= Z.div_mod_to_equations.
Ltac discharge := intros; cases; first [lia | nia].
)";

/// What to prove for p ranks, in Coq.
constexpr std::string_view once = R"(
  exactly_once (ReduceScatter (owner p)) p p (reduce_scatter_of (factor_by peer steps last_apart p)) /\
  exactly_once (Allgather (owner p)) p p (allgather_of (factor_by peer steps last_apart p)) /\
  exactly_once Allreduce p p (allreduce_of (factor_by peer steps last_apart p)))";

std::string term(const Formula& formula, std::span<const std::string_view> variables) {
  CoqTerms terms({variables.begin(), variables.end()});
  return Lowering<CoqTerms>(terms).number(formula);
}

/// "Definition f (s parity : Z) : Z := ..", from a text for solvers.
std::string definition(std::string_view name, std::string_view variables, const std::string& text) {
  const auto names = variable_names(variables);
  const std::vector<std::string_view> views(names.begin(), names.end());
  return fmt::format("Definition {} ({} : Z) : Z := {}.\n", name, variables,
                     term(*Formula::parse(name, text, views), views));
}

class CoqFormula {
 public:
  CoqFormula(const PeerRule& rule, const PeerProof& proof) : rule_(rule), proof_(proof) {}

  CoqProof write() {
    CoqProof written{{}, assumed()};
    written.text = head(!written.assumed.empty()) + definitions() + family();
    if (!written.assumed.empty()) written.text += "\nSection Arithmetic.\n";
    for (const Obligation& o : proof_.theorem->obligations)
      written.text +=
          is_assumed(o) ? fmt::format("\n(* {} *)\nHypothesis {}", o.statement, coq_statement(o)) : coq_lemma(o);
    written.text += theorem();
    if (!written.assumed.empty()) written.text += "End Arithmetic.\n";
    written.text += "\nPrint Assumptions formula_once.\n";
    return written;
  }

 private:
  bool has_interval() const { return proof_.reach.has_value(); }
  bool is_shift() const { return proof_.family == PeerFamily::shift; }

  static bool is_assumed(const Obligation& o) { return !is_linear(questions_of(o).negation); }

  std::vector<std::string_view> assumed() const {
    std::vector<std::string_view> names;
    for (const Obligation& o : proof_.theorem->obligations)
      if (is_assumed(o)) names.push_back(o.name);
    return names;
  }

  static std::string head(bool assumes) {
    return fmt::format("(* verify prove --peer wrote this file. {} *)\n{}",
                       assumes ? "The arithmetic in its hypotheses is the solver's, the rest is Coq's."
                               : "Coq checks all of it, the arithmetic included.",
                       formula_preamble);
  }

  std::string definitions() const {
    std::string text = fmt::format(
        "\n(* The formula, as it is written, and the number of steps *)\nDefinition peer (r s p : Z) : Z := {}.\n"
        "Definition steps (p : Z) : Z := {}.\nDefinition last_apart : option bool := {}.\n\n(* f at step s, from "
        "parity = s mod 2, pw = 2^s and rho = rho(s){} "
        "*)\n{}",
        term(rule_.peer, peer_variables()), rule_.steps ? term(*rule_.steps, steps_variables()) : "Z.log2_up p",
        last_apart(), has_interval() ? "; the interval before it, times 3" : "",
        definition("f", "s parity pw rho", proof_.f));
    if (!has_interval()) return text;
    return text + definition("lo3", "s parity pw", proof_.reach->lo.text("")) +
           definition("hi3", "s parity pw", proof_.reach->hi.text(""));
  }

  std::string_view last_apart() const {
    return !rule_.odd ? "None" : rule_.odd == OddRanks::apart ? "Some true" : "Some false";
  }

  /// The formula is of its family.
  std::string family() const {
    const std::string offset = proof_.added == 0 ? "at_step f s" : fmt::format("(at_step f s + ({}))", proof_.added);
    const std::string right = proof_.family == PeerFamily::exclusive_or ? "Z.lxor r (at_step f s)"
                              : is_shift()                              ? "r + at_step f s"
                                           : fmt::format("if r mod 2 =? 0 then r + {0} else r - {0}", offset);
    return fmt::format(
        "\nLemma family : forall r s p : Z, 0 <= s -> peer r s p = {}.\nProof. intros. unfold peer, at_step, f. "
        "same_peers. Qed.\n",
        right);
  }

  std::string theorem() const {
    if (proof_.family == PeerFamily::exclusive_or)
      return fmt::format(
          "\nTheorem formula_once (a : nat) : let p := (2 ^ a)%nat in{}.\nProof. exact (xor_once peer f last_apart "
          "family "
          "highest_bit a). Qed.\n",
          once);
    if (proof_.family == PeerFamily::mixed)
      return fmt::format(
          "\nTheorem formula_once (p : nat) : (0 < p)%nat -> Nat.Even p ->{}.\nProof. exact (mixed_once peer f "
          "last_apart family "
          "meets doubles p). Qed.\n",
          once);
    const std::string_view ends = rule_.steps ? "(fun s pw p => s = steps p)" : "(fun s pw p => p <= pw)";
    const std::string_view enough =
        rule_.steps ? "(fun p some => conj (steps_defined p some) eq_refl)" : "log2_up_ends";
    const std::string moved = proof_.added == 0 ? "" : fmt::format(" (fun _ => {})", proof_.added);
    const bool is_even = !is_shift() && rule_.odd == OddRanks::as_written;
    const std::string_view served = is_shift() ? "" : is_even ? " (fun _ => E)" : " ltac:(discriminate)";
    return fmt::format(
        "\nTheorem formula_once (p : nat) : (0 < p)%nat ->{}{}.\nProof.\n  intros P{}. exact ({} peer steps f lo3 hi3 "
        "{} last_apart{} family{} begin grows{} covers {} p P{}).\nQed.\n",
        is_even ? " Nat.Even p ->" : "", once, is_even ? " E" : "", family_theorem(proof_), ends, moved,
        moved.empty() ? "" : " (fun _ => eq_refl)", is_shift() ? "" : " odd", enough, served);
  }

  const PeerRule& rule_;
  const PeerProof& proof_;
};

}  // namespace

tl::expected<CoqProof, std::string> coq_proof(const PeerRule& rule, const PeerProof& proof) {
  try {
    return CoqFormula(rule, proof).write();
  } catch (const std::length_error& error) {
    return tl::unexpected(std::string(error.what()));
  }
}

}  // namespace onceover::proofs
