// Queries: what is asked of a solver, can these sentences all hold? And theorems, whose obligations are discharged so.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proofs/theorem.h"
#include "schedules/formula.h"

namespace onceover::proofs {

/// Sentences over whole numbers; what is not 0 holds.
struct Query {
  std::string name;
  std::string comment;
  std::vector<std::string> variables;
  std::vector<Formula> sentences;
};

/// Does every product have a constant among its factors?
bool is_linear(const Query& query);

enum class Answer {
  unsatisfiable,  // they can't
  satisfiable,    // they can; see the model
  unknown,        // the solver gave up
};

std::string_view name(Answer answer);

/// What a solver said.
struct Reply {
  Answer answer;
  std::string reason = {};                        // unknown: why
  std::map<std::string, std::string> model = {};  // satisfiable: values, as the solver writes them
};

/// The three questions of an obligation. It holds if its negation can't, its mutant's negation can, and its hypotheses
/// can: so the solver is known to see the difference, and the proof is not empty.
struct Questions {
  Query negation;    // must be unsatisfiable
  Query mutant;      // must be satisfiable
  Query hypotheses;  // must be satisfiable
};

/// Throws std::logic_error if a sentence can't be read, or if the mutant changes none: a bug in the theorem's text.
Questions questions_of(const Obligation& obligation);

/// The names in a list separated by blanks.
std::vector<std::string> variable_names(std::string_view list);

/// Units of work (Z3's rlimit, the same on every machine) that one query may take.
inline constexpr unsigned solver_work = 20'000'000;

/// Milliseconds after which a query is given up in any case: some of Z3's procedures don't count their work.
inline constexpr unsigned solver_milliseconds = 5'000;

/// Asks Z3. May be called on several threads at once.
Reply ask_z3(const Query& query, unsigned work = solver_work, unsigned milliseconds = solver_milliseconds);

/// "Z3 4.8.12".
std::string z3_version();

/// A solver that is asked.
struct Solver {
  std::string name;
  std::function<Reply(const Query&, Answer expected)> ask;  // called on several threads at once
};

/// What one solver said of the three questions of an obligation.
struct Trial {
  std::string solver;
  Reply negation;
  Reply mutant;
  Reply hypotheses;
  double seconds = 0;

  bool holds() const;
  bool is_unknown() const;

  /// Why it doesn't hold, in a sentence; "" if it does.
  std::string problem() const;
};

/// An obligation and what all solvers said of it.
struct Discharge {
  const Obligation* obligation;
  std::vector<Trial> trials;
};

/// The verdict on a theorem: it follows only if every solver says of every obligation that it holds, that its mutant
/// doesn't, and that its hypotheses can be met. It rests on the theorems that it uses (see with_uses), which are proved
/// beside it.
struct Proof {
  const Theorem* theorem;
  std::vector<Discharge> discharges;

  bool holds() const;
  bool is_unknown() const;  // nothing was refuted, but a solver gave up
};

/// Discharges the obligations of the theorems, in parallel.
std::vector<Proof> prove(const std::vector<const Theorem*>& theorems, const std::vector<Solver>& solvers, int threads);

/// Z3, inside this program.
Solver z3();

/// cvc5, where it is installed.
std::optional<Solver> cvc5();

/// Gives cvc5, which must be installed, an SMT-LIB script that ends with (check-sat). It doesn't learn which answer is
/// expected.
Reply ask_cvc5(const std::string& script);

}  // namespace onceover::proofs
