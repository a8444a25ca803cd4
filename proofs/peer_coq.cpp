// Writes a formula's proof for Coq. The formula is defined as the user wrote it, beside f(s) and the interval's ends as
// the solver's sentences have them. Then come the obligations, and the theorem, which applies that of the family. Coq
// so checks that the formula is of the family, and that the theorem's hypotheses are the very sentences.
//
// Example: r + pow2(s) becomes Definition peer (r s p : Z) : Z := (r + (2 ^ s)), with f = pw, lo3 = 0 and
// hi3 = 3 * pw + -3.
//
// A formula has at most 4096 bytes, and so many nodes; a term may double at each, up to the limit of coq_terms.h.

#include "proofs/peer_coq.h"

#include <fmt/format.h>

#include <stdexcept>

#include "proofs/coq_terms.h"
#include "proofs/coq_writer.h"
#include "proofs/query.h"

namespace onceover::proofs {

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
