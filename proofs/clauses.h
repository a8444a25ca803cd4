// Clauses over truth values: a question for a SAT solver.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "proofs/query.h"

namespace onceover::proofs {

/// A truth value, or (negative) its negation; never 0.
using Literal = int;

/// Clauses, each a list of literals of which one must be true. Memory: 4 bytes a literal and 24 a clause.
class Clauses {
 public:
  Clauses();

  /// A new truth value. A name has letters, digits and underscores, begins with a letter, and is used once.
  Literal variable(std::string name);

  /// The literals that are always true, and always false. Clauses with them are simplified when they are added.
  Literal truth() const { return 1; }
  Literal falsehood() const { return -1; }

  void add(std::vector<Literal> clause);

  /// `all` of them together imply `then`.
  void imply(std::span<const Literal> all, Literal then);

  /// At most so many of them are true. A sequential counter (Sinz, 2005): O(literals * most) clauses with three
  /// literals, and as many new values; pairs if `most` is 1 and there are few.
  void at_most(const std::vector<Literal>& literals, int most);

  /// Literals in all clauses.
  std::size_t size() const { return size_; }

  /// As SMT-LIB 2: Z3 and other solvers read this very text. Each line of the comment goes to the start.
  std::string smtlib(const std::string& comment) const;

 private:
  std::string text_of(Literal literal) const;

  std::vector<std::string> names_;
  std::vector<std::vector<Literal>> clauses_;
  std::size_t size_ = 0;
};

/// Asks Z3's SAT solver a script with truth values only. The model has "true" and "false". `work` is as in ask_z3.
Reply ask_z3(const std::string& script, unsigned work, unsigned milliseconds);

}  // namespace onceover::proofs
