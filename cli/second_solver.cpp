#include "cli/second_solver.h"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "base/process.h"
#include "base/stop.h"
#include "proofs/smtlib.h"

namespace onceover::cli {

namespace {

constexpr ProcessLimits solver_limits{.seconds = 60, .bytes = 1 << 20};

/// Gives cvc5 a script on standard input. It doesn't learn which answer is expected.
Reply ask(const Query& query, Answer) try {
  const Invocation script{"cvc5", {"--lang=smt2", "--tlimit=30000", "-"}, smtlib(query, Answer::unknown)};
  const auto end = run_process(script, solver_limits);
  if (!end) return {Answer::unknown, fmt::format("cannot be started: {}", std::strerror(end.error()))};
  if (const auto why = complaint(*end, solver_limits)) return {Answer::unknown, *why + last_words(end->errors)};
  if (end->out == "unsat\n") return {Answer::unsatisfiable};
  if (end->out == "sat\n") return {Answer::satisfiable};
  return {Answer::unknown, end->out.substr(0, 200)};
} catch (const std::length_error& e) {
  return {Answer::unknown, e.what()};
} catch (const Stopped& e) {
  return {Answer::unknown, e.what()};
}

}  // namespace

std::optional<Solver> cvc5() {
  if (!find_on_path("cvc5")) return std::nullopt;
  return Solver{"cvc5", ask};
}

}  // namespace onceover::cli
