// Theorems, discharged.
#pragma once

#include <functional>

#include "proofs/query.h"

namespace onceover::proofs {

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

}  // namespace onceover::proofs
