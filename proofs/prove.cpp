#include "proofs/prove.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "base/parallel.h"
#include "proofs/z3_solver.h"

namespace onceover::proofs {

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
