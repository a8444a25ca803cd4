#include "cli/second_solver.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/stop.h"
#include "proofs/smtlib.h"
#include "subjects/generator.h"

namespace onceover::cli {

namespace {

constexpr GeneratorLimits solver_limits{.seconds = 60, .bytes = 1 << 20};

/// A script handed to cvc5 on its standard input, through the shell. It isn't told what is expected.
Reply ask(const Query& query, Answer) try {
  const std::string command = fmt::format("cvc5 --lang=smt2 --tlimit=30000 - <<'end of query'\n{}end of query\n",
                                          smtlib(query, Answer::unknown));
  const auto output = run_generator(command, solver_limits);
  if (!output) {
    // The message begins with the command; what matters is how it ended.
    const std::string& message = output.error().message;
    const std::size_t end = message.rfind("' ended");
    return {Answer::unknown, message.substr(end == std::string::npos ? 0 : end + 2)};
  }
  if (*output == "unsat\n") return {Answer::unsatisfiable};
  if (*output == "sat\n") return {Answer::satisfiable};
  return {Answer::unknown, output->substr(0, 200)};
} catch (const std::length_error& e) {
  return {Answer::unknown, e.what()};
} catch (const Stopped& e) {
  return {Answer::unknown, e.what()};
}

}  // namespace

std::optional<Solver> cvc5() {
  if (!run_generator("command -v cvc5", solver_limits)) return std::nullopt;
  return Solver{"cvc5", ask};
}

}  // namespace onceover::cli
