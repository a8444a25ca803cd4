// What is asked of a solver: can these sentences all hold?
#pragma once

#include <map>
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

}  // namespace onceover::proofs
