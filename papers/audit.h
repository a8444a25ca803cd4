// The audit: tries claims.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papers/claim.h"
#include "proofs/theorem.h"

namespace onceover::papers {

enum class ClaimVerdict : std::uint8_t {
  proved,     // it holds for all p; also tried
  checked,    // it holds in all cases of the range
  imprecise,  // it does not hold to the letter, by a slip of wording
  refuted,    // there is a counterexample
  differs,    // the text measured it; our model gives another result
  finding,    // our own, in no text; it holds in all cases of the range
  unknown,    // we could not tell
  unsettled,  // what we say instead doesn't hold either: a bug of ours
};

std::string_view name(ClaimVerdict verdict);

/// What a verdict rests on, the strongest first.
enum class ClaimLevel : std::uint8_t {
  kernel,  // Coq's kernel accepts the whole sentence, without axioms
  solver,  // Z3 discharges obligations each time; an argument in words joins them
  tried,   // the cases of a range, or a counterexample
};

std::string_view name(ClaimLevel level);

/// The obligations of a theorem that Z3 discharged.
struct Obligations {
  std::string_view theorem;
  std::vector<std::string_view> names;
};

struct Audited {
  const Claim* claim;
  ClaimVerdict verdict;
  std::optional<Refutation> refutation = {};  // of the statement (imprecise, refuted), or of the correction (unsettled)
  std::vector<Obligations> obligations = {};  // discharged by Z3; for a checked claim they cover a part
  std::string unknown = {};                   // why it is unknown
};

/// What the verdict rests on.
ClaimLevel level_of(const Audited& audited);

/// Tries claims, several at a time, in the order given. Z3 proves the theorems each time.
std::vector<Audited> audit(const std::vector<const Claim*>& claims);

/// The text for people: the verdicts with all evidence, paper by paper.
std::string audit_text(const std::vector<Audited>& audited);

/// The page docs/findings.md, with the claims that don't hold. For the claims of a user's file, a page with all of
/// them.
std::string audit_markdown(const std::vector<Audited>& audited);

/// The document of docs/schema/claims.schema.json.
std::string audit_json(const std::vector<Audited>& audited);

}  // namespace onceover::papers
