// Obligations for Coq, whose kernel then checks what the solvers say.
#pragma once

#include "proofs/theorem.h"

namespace onceover::proofs {

/// A Coq file with a lemma for every obligation of the theorems, proved by Coq's own decision procedures.
/// Names have _ for -.
std::string coq_obligations(const std::vector<const Theorem*>& theorems);

/// A Coq file that comes with the program: a name such as "Swing.v", and what it holds.
struct CoqFile {
  std::string_view name;
  std::string_view text;
};

/// The inductions that glue obligations to theorems, in the order in which they are to be compiled, after the
/// obligations.
std::span<const CoqFile> coq_files();

}  // namespace onceover::proofs
