// Obligations, and proofs of formulas, as files for Coq, whose kernel then checks what the solvers say.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "proofs/peer_proof.h"
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

/// A file for Coq: a name such as "Families.v", and what it holds.
struct CoqFile {
  std::string_view name;
  std::string_view text;
};

/// The files of the theory that a formula's proof needs, in the order in which they are to be compiled.
std::span<const CoqFile> coq_files();

/// What Coq is to check about a formula.
struct CoqProof {
  std::string text;
  std::vector<std::string_view> assumed;  // obligations that are hypotheses of its theorem; empty: Coq proves them all
};

/// The formula as it is written, its obligations, and by the theorem of its family (coq/Families.v) that its schedules
/// are exactly once. Needs a theorem in `proof`. Coq's procedures decide linear arithmetic; an obligation with a
/// product of unknowns becomes a hypothesis. Fails, with a reason, if a term is too long.
tl::expected<CoqProof, std::string> coq_proof(const PeerRule& rule, const PeerProof& proof);

}  // namespace onceover::proofs
