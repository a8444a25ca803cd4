// `verify --suggest`: formulas near to that of --peer, which fails, that pass.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/verify_command.h"
#include "schedules/peer_schedule.h"

namespace onceover::cli {

/// At most `most` rules whose peers are a neighbour of this formula (see formula.h), and which `verify` passes for all
/// `ranks`, those nearest to it first. No two have the same peers for these ranks. The options say what is required.
/// Stops early when all work is to stop. Some 10,000 formulas are tried, most for the first few `ranks` only, which
/// should ascend.
std::vector<PeerRule> nearby_rules(const PeerRule& rule, Collective collective, std::span<const Rank> ranks,
                                   const VerifyOptions& options, std::size_t most);

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
