// Theorems about all p, as lists of small obligations that a solver can discharge.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedules/schedule.h"

namespace onceover::proofs {

/// As the hypotheses of obligations are.
using Sentences = std::vector<std::string_view>;

inline Sentences operator+(Sentences a, const Sentences& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A change of one hypothesis, or of the goal, after which the obligation no longer holds.
struct Mutant {
  std::string_view instead_of;
  std::string_view with;
};

/// A sentence for all values of some whole numbers: the hypotheses imply the goal. Written in the language of Formula
/// (schedules/formula.h); what is not 0 holds.
struct Obligation {
  std::string_view name;       // stable, unique
  std::string_view statement;  // in words
  std::string_view source;     // the lemma of the paper that it serves
  std::string_view variables;  // names, separated by blanks
  Sentences hypotheses;
  std::string_view goal;
  Mutant mutant;
  std::string_view coq = "discharge.";  // Coq's proof, where its procedures need help
};

/// Who vouches for a part of a theorem.
enum class Level {
  solver,  // Z3, and cvc5 where it is asked: obligations, each time that they are discharged
  kernel,  // Coq's kernel, without axioms: theorems of proofs/coq
  words,   // nobody but the reader: an argument
};

std::string_view name(Level level);

/// A statement about a schedule for all p of a domain. It follows from its obligations by the argument given in words,
/// most often an induction over the steps; Coq has checked some of these inductions.
struct Theorem {
  std::string_view id;
  std::string_view title;
  std::string_view source;
  std::string_view assumes;
  std::string_view concludes;
  std::string_view argument;                // how it follows from the obligations
  std::string_view solver_part;             // what the solver shows, in a sentence
  std::string_view kernel_part = {};        // what Coq accepts, with names of its theorems in brackets; empty: nothing
  std::string_view words_part = {};         // what rests on the argument alone; empty: nothing
  std::vector<std::string_view> uses = {};  // theorems that the argument rests on
  std::vector<std::string_view> rows = {};  // algorithms of the catalogue that it covers
  bool (*covers)(const std::vector<Rank>& shape) = nullptr;  // which of the rows' tori; null: all
  std::string_view domain;                                   // the same in words
  std::string (*picture)() = nullptr;                        // where a drawing helps
  std::vector<Obligation> obligations;
};

/// What of a theorem is at a level, in a sentence without a full stop.
struct LevelPart {
  Level level;
  std::string_view what;
};

/// The parts that there are, in the order of the levels.
std::vector<LevelPart> levels(const Theorem& theorem);

/// All theorems, each after those that it uses.
std::span<const Theorem> theorems();

/// The theorem of that id, or null.
const Theorem* find_theorem(std::string_view id);

/// The theorem that covers a schedule of the catalogue, or null.
const Theorem* theorem_about(const Header& header);

/// These theorems and all that they use, in order.
std::vector<const Theorem*> with_uses(const std::vector<const Theorem*>& theorems);

/// The theorems that cover a row of the catalogue, and those that they use, in order.
std::vector<const Theorem*> theorems_for(std::string_view algorithm);

/// All sides are powers of two; a line.
bool has_powers_of_two(const std::vector<Rank>& shape);
bool is_line(const std::vector<Rank>& shape);

Theorem step_sequences_theorem();
Theorem even_cover_theorem();
Theorem covering_peers_theorem();
Theorem time_reversal_theorem();
Theorem odd_ranks_theorem();
Theorem torus_products_theorem();
Theorem recursive_doubling_theorem();
Theorem ring_theorem();
Theorem bruck_theorem();
Theorem pat_theorem();
Theorem folding_theorem();
Theorem hamiltonian_pair_theorem();

}  // namespace onceover::proofs
