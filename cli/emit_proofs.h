// Proofs as files for other programs to check.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "proofs/peer_proof.h"
#include "proofs/theorem.h"

namespace onceover::cli {

/// Each obligation's three queries, one a file.
Result<void> emit_smt2(const std::vector<const Theorem*>& theorems, const std::string& folder);

/// All obligations as lemmas, and a script that has Coq check them.
Result<void> emit_coq(const std::string& folder);

/// A formula's proof, the part of the theory that it needs, and a script that has Coq check both. Gives a line that
/// says what Coq then checks.
Result<std::string> emit_coq(const PeerRule& rule, const PeerProof& proof, const std::string& folder);

}  // namespace onceover::cli
