// Obligations for Coq, whose kernel then checks what the solvers say.
#pragma once

#include "proofs/theorem.h"

namespace onceover::proofs {

/// The obligation's name with _ for -.
std::string coq_name(const Obligation& obligation);

/// "NAME : forall s p : Z, ..", ended by a full stop: what follows Lemma or Hypothesis. Throws std::length_error if it
/// is too long.
std::string coq_statement(const Obligation& obligation);

/// The obligation as a lemma, proved by Coq's own decision procedures.
std::string coq_lemma(const Obligation& obligation);

/// A Coq file with a lemma for every obligation of the theorems.
std::string coq_obligations(const std::vector<const Theorem*>& theorems);

}  // namespace onceover::proofs
