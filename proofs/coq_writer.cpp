#include "proofs/coq_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "proofs/coq_terms.h"
#include "proofs/query.h"

namespace onceover::proofs {

namespace {

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

}  // namespace onceover::proofs
