// `verify --peer FORMULA --suggest`: formulas nearby that are right.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/commands.h"
#include "subjects/run.h"

namespace onceover::cli {

struct SuggestedFormula {
  std::string text;
  std::string passes_for;       // "p = 2..8", or "p = 2..8, apart from --limit", which was not judged
  std::string proved_for = {};  // "even p"; empty: there is no proof
  std::string theorem = {};     // "powers_once", of the kernel, if it is about all p that were tried; else empty
};

/// If a property of one of the runs of --peer fails: up to three formulas near to it that pass for the ranks of the
/// runs, as far as these are at most 64, each with what Z3 proves of it, or the kernel's theorem that these runs are
/// of.
std::vector<SuggestedFormula> suggested_formulas(const VerifyCommand& command, std::span<const Verification> runs);

std::string suggestions_text(std::span<const SuggestedFormula> formulas);
Json suggestions_json(std::span<const SuggestedFormula> formulas);

}  // namespace onceover::cli
