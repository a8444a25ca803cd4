// cvc5, another solver, which reads scripts on its standard input.

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "base/process.h"
#include "base/stop.h"
#include "proofs/query.h"
#include "proofs/smtlib.h"

namespace onceover::proofs {

namespace {

constexpr ProcessLimits solver_limits{.seconds = 60, .bytes = 1 << 20};

Reply ask(const Query& query, Answer) try {
  return ask_cvc5(smtlib(query, Answer::unknown));
} catch (const std::length_error& e) {
  return {Answer::unknown, e.what()};
}

}  // namespace

Reply ask_cvc5(const std::string& script) try {
  const auto end = run_process({"cvc5", {"--lang=smt2", "--tlimit=30000", "-"}, script}, solver_limits);
  if (!end) return {Answer::unknown, fmt::format("cannot be started: {}", std::strerror(end.error()))};
  if (const auto why = complaint(*end, solver_limits)) return {Answer::unknown, *why + last_words(end->errors)};
  if (end->out == "unsat\n") return {Answer::unsatisfiable};
  if (end->out == "sat\n") return {Answer::satisfiable};
  return {Answer::unknown, end->out.substr(0, 200)};
} catch (const Stopped& e) {
  return {Answer::unknown, e.what()};
}

std::optional<Solver> cvc5() {
  if (!find_on_path("cvc5")) return std::nullopt;
  return Solver{"cvc5", ask};
}

}  // namespace onceover::proofs
