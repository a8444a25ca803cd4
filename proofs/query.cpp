#include "proofs/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "base/parallel.h"
#include "base/text.h"

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

bool Trial::holds() const {
  return negation.answer == Answer::unsatisfiable && mutant.answer == Answer::satisfiable &&
         hypotheses.answer == Answer::satisfiable;
}

bool Trial::is_unknown() const {
  const bool is_refuted = negation.answer == Answer::satisfiable || mutant.answer == Answer::unsatisfiable ||
                          hypotheses.answer == Answer::unsatisfiable;
  return !holds() && !is_refuted;
}

std::string Trial::problem() const {
  if (negation.answer == Answer::satisfiable) {
    std::string values;
    for (const auto& [variable, value] : negation.model)
      values += fmt::format("{}{} = {}", values.empty() ? ": " : ", ", variable, value);
    return "it does not hold" + values;
  }
  if (mutant.answer == Answer::unsatisfiable) return "its mutant holds, too, so this obligation is not falsifiable";
  if (hypotheses.answer == Answer::unsatisfiable) return "no values satisfy its hypotheses, so it is vacuous";
  for (const Reply* reply : {&negation, &mutant, &hypotheses})
    if (reply->answer == Answer::unknown) return fmt::format("{} gave up: {}", solver, reply->reason);
  return "";
}

bool Proof::holds() const {
  return std::all_of(discharges.begin(), discharges.end(), [](const Discharge& d) {
    return !d.trials.empty() && std::all_of(d.trials.begin(), d.trials.end(), [](const Trial& t) { return t.holds(); });
  });
}

bool Proof::is_unknown() const {
  return !holds() && std::all_of(discharges.begin(), discharges.end(), [](const Discharge& d) {
    return std::all_of(d.trials.begin(), d.trials.end(), [](const Trial& t) { return t.holds() || t.is_unknown(); });
  });
}

namespace {

Trial try_with(const Solver& solver, const Questions& questions) {
  const auto begin = std::chrono::steady_clock::now();
  Trial trial{solver.name, solver.ask(questions.negation, Answer::unsatisfiable),
              solver.ask(questions.mutant, Answer::satisfiable), solver.ask(questions.hypotheses, Answer::satisfiable)};
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return trial;
}

}  // namespace

std::vector<Proof> prove(const std::vector<const Theorem*>& theorems, const std::vector<Solver>& solvers, int threads) {
  std::vector<Proof> proofs;
  for (const Theorem* theorem : theorems) {
    proofs.push_back({theorem, {}});
    for (const Obligation& o : theorem->obligations)
      proofs.back().discharges.push_back({&o, std::vector<Trial>(solvers.size())});
  }
  struct Task {
    Discharge* discharge;
    std::size_t solver;
  };
  std::vector<Task> tasks;
  for (std::size_t s = 0; s < solvers.size(); ++s)
    for (Proof& proof : proofs)
      for (Discharge& discharge : proof.discharges) tasks.push_back({&discharge, s});
  std::atomic<std::size_t> next = 0;
  run_workers(threads, [&](int) {
    for (std::size_t k = next++; k < tasks.size(); k = next++)
      tasks[k].discharge->trials[tasks[k].solver] =
          try_with(solvers[tasks[k].solver], questions_of(*tasks[k].discharge->obligation));
  });
  return proofs;
}

Solver z3() {
  return {"z3", [](const Query& query, Answer) { return ask_z3(query); }};
}

}  // namespace onceover::proofs
