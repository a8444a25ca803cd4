#include "proofs/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/words.h"

namespace onceover::proofs {

namespace {

class Writer {
 public:
  Writer(const Obligation& obligation, std::string_view suffix, std::string comment)
      : query_{fmt::format("{}{}", obligation.name, suffix),
               std::move(comment),
               variable_names(obligation.variables),
               {}} {}

  void add(std::string_view sentence) {
    const std::vector<std::string_view> variables(query_.variables.begin(), query_.variables.end());
    auto formula = Formula::parse(query_.name, sentence, variables);
    if (!formula) throw std::logic_error(formula.error().render());
    query_.sentences.push_back(std::move(*formula));
  }

  void add_negation(std::string_view sentence) { add(fmt::format("not ({})", sentence)); }

  Query query() { return std::move(query_); }

 private:
  Query query_;
};

/// Does the node have no variable below it?
bool is_constant(const Formula& formula, int n) {
  const Formula::Node& node = formula.nodes()[static_cast<std::size_t>(n)];
  return node.kind == Formula::Kind::number ||
         (node.kind == Formula::Kind::negate && is_constant(formula, node.operand[0]));
}

bool is_linear(const Formula& formula) {
  return std::none_of(formula.nodes().begin(), formula.nodes().end(), [&](const Formula::Node& node) {
    return node.kind == Formula::Kind::multiply && !is_constant(formula, node.operand[0]) &&
           !is_constant(formula, node.operand[1]);
  });
}

}  // namespace

std::vector<std::string> variable_names(std::string_view list) {
  if (list.empty()) return {};
  const auto names = split(list, ' ');
  return {names.begin(), names.end()};
}

bool is_linear(const Query& query) {
  return std::all_of(query.sentences.begin(), query.sentences.end(),
                     [](const Formula& sentence) { return is_linear(sentence); });
}

std::string_view name(Answer answer) {
  switch (answer) {
    case Answer::unsatisfiable: return "unsat";
    case Answer::satisfiable: return "sat";
    case Answer::unknown: return "unknown";
  }
  return "";
}

Questions questions_of(const Obligation& o) {
  const auto& [instead_of, with] = o.mutant;
  const bool in_goal = o.goal == instead_of;
  if (!in_goal && std::find(o.hypotheses.begin(), o.hypotheses.end(), instead_of) == o.hypotheses.end())
    throw std::logic_error(fmt::format("{}: the mutant changes nothing that is there", o.name));
  Writer negation(o, "", std::string(o.statement));
  Writer mutant(o, ".mutant", fmt::format("with '{}' instead of '{}' it does not hold", with, instead_of));
  Writer hypotheses(o, ".hypotheses", "the hypotheses have a model");
  for (const std::string_view h : o.hypotheses) {
    negation.add(h);
    mutant.add(h == instead_of ? with : h);
    hypotheses.add(h);
  }
  negation.add_negation(o.goal);
  mutant.add_negation(in_goal ? with : o.goal);
  return {negation.query(), mutant.query(), hypotheses.query()};
}

}  // namespace onceover::proofs
