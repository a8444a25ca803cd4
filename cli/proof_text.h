// Proofs as text for people and as files for other programs, and what `prove` shares between theorems and formulas.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/report_output.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "proofs/peer_proof.h"
#include "proofs/query.h"
#include "proofs/routes/kernel.h"
#include "proofs/theorem.h"
#include "subjects/run.h"
#include "subjects/subject.h"

namespace onceover::cli {

enum class SolverName : std::uint8_t { z3, cvc5 };

struct ProveCommand {
  const Theorem* theorem = nullptr;
  SubjectOptions subject = {};  // algorithms, or a formula; with ranks the proof is bounded
  bool all = false;
  std::vector<SolverName> solvers = {SolverName::z3};
  std::string smt2_folder = {};
  std::string coq_folder = {};
  bool full = false;
  JsonOutput json = {};
};

Result<std::vector<SolverName>> parse_solvers(const std::string& text);

/// The solvers that were asked for and are installed; a note names those that aren't.
struct Solvers {
  std::vector<Solver> there;
  std::string note;
};

/// Finds the solvers. Z3 takes the place of cvc5 if nothing else was asked for and cvc5 isn't installed.
Solvers solvers_there(const std::vector<SolverName>& asked);

/// "Z3 4.8.12 and cvc5".
std::string names_of(const std::vector<Solver>& solvers);

enum class ProofVerdict { proved, unknown, fails };

/// The verdict of all proofs together: fails if one fails, else unknown if one is unknown.
ProofVerdict overall(const std::vector<Proof>& proofs);

/// "proved", "unknown" or "fails".
std::string_view verdict_of(const Proof& proof);

using subjects::exit_code;
ExitCode exit_code(ProofVerdict verdict);

/// "allreduce, allgather".
std::string names_of(std::span<const Collective> collectives);

/// The theorems about rows that Coq's kernel accepts: what they say, in words and in Coq, and where they are; of
/// several rows, below the name of each. Empty if there are none.
std::string kernel_text(const std::vector<const Algorithm*>& rows);

/// [{"algorithm": "swing", "theorem": "swing_once", "place": "proofs/coq/SwingAll.v:133", ..}]
Json kernel_json(const std::vector<const Algorithm*>& rows);

/// "solver, kernel, words": who vouches for the theorem's parts.
std::string levels_text(const Theorem& theorem);

/// {"solver": what Z3 showed, ..}
Json levels_json(const Theorem& theorem);

/// What a theorem says, why, and who vouches for what, one line each.
std::string statement_text(const Theorem& theorem);

/// A line for each obligation and solver; without `full`, only for obligations that don't hold.
std::string discharges_text(const Proof& proof, bool full);

/// Runs `prove --peer`.
Result<ExitCode> prove_formula(const ProveCommand& command);

/// Each obligation's three queries, one a file.
Result<void> emit_smt2(const std::vector<const Theorem*>& theorems, const std::string& folder);

/// All obligations as lemmas, and a script that has Coq check them.
Result<void> emit_coq(const std::string& folder);

/// A formula's proof, the part of the theory that it needs, and a script that has Coq check both. Gives a line that
/// says what Coq then checks.
Result<std::string> emit_coq(const PeerRule& rule, const PeerProof& proof, const std::string& folder);

}  // namespace onceover::cli
