#include "cli/second_solver.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "cli/generator.h"
#include "proofs/smtlib.h"

namespace onceover::cli {

namespace {

constexpr GeneratorLimits limits{.seconds = 60, .bytes = 1 << 20};

/// A script handed to cvc5 on its standard input, through the shell.
Reply ask(const Query& query, Answer expected) try {
  const std::string command =
      fmt::format("cvc5 --lang=smt2 --tlimit=30000 - <<'end of query'\n{}end of query\n", smtlib(query, expected));
  const auto output = run_generator(command, limits);
  if (!output) {
    // Whatever it says first is the shell's command; what matters is at the end. A status that it disagrees with makes
    // it stop.
    const std::string& message = output.error().message;
    const bool disagrees = message.find("Expected result") != std::string::npos;
    if (disagrees) return {expected == Answer::satisfiable ? Answer::unsatisfiable : Answer::satisfiable};
    return {Answer::unknown,
            message.substr(message.rfind("ended with") == std::string::npos ? 0 : message.rfind("ended with"))};
  }
  if (output->find("unsat") == 0) return {Answer::unsatisfiable};
  if (output->find("sat") == 0) return {Answer::satisfiable};
  return {Answer::unknown, output->substr(0, 200)};
} catch (const std::length_error& e) {
  return {Answer::unknown, e.what()};
}

}  // namespace

std::optional<Solver> cvc5() {
  if (!run_generator("command -v cvc5", limits)) return std::nullopt;
  return Solver{"cvc5", ask};
}

}  // namespace onceover::cli
