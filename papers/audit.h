// The audit: claims, tried.
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
  finding,    // our own, no text says it; it holds in all cases of the range
  unknown,    // we could not tell
  unsettled,  // what we say instead does not hold either: a bug here
};

std::string_view name(ClaimVerdict verdict);

/// What a verdict rests on, the strongest first.
enum class ClaimLevel : std::uint8_t {
  kernel,  // Coq's kernel accepts the whole sentence, without axioms, when the files of --emit-coq are checked
  solver,  // Z3 discharges obligations each time; an argument in words joins them
  tried,   // the cases of a range, or a counterexample
};

std::string_view name(ClaimLevel level);

/// Obligations: those of a theorem that Z3 discharged.
struct Obligations {
  std::string_view theorem;
  std::vector<std::string_view> names;
};

struct Audited {
  const Claim* claim;
  ClaimVerdict verdict;
  std::optional<Refutation> refutation = {};  // imprecise, refuted: of the statement; unsettled: of the correction
  std::vector<Obligations> obligations = {};  // what Z3 discharged; of a claim that is checked it covers a part
  std::string unknown = {};                   // why
};

/// What the verdict rests on.
ClaimLevel level_of(const Audited& audited);

/// Tries claims, several at a time, in the order given. Z3 proves the theorems each time.
std::vector<Audited> audit(const std::vector<const Claim*>& claims);

/// For a person: the verdicts with all evidence, paper by paper.
std::string audit_text(const std::vector<Audited>& audited);

/// The page docs/findings.md, of the claims that don't hold. For the claims of a user's file, a page of all.
std::string audit_markdown(const std::vector<Audited>& audited);

/// The document of docs/schema/claims.schema.json.
std::string audit_json(const std::vector<Audited>& audited);

}  // namespace onceover::papers
