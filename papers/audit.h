// The claims, tried.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papers/claim.h"
#include "proofs/theorem.h"

namespace onceover::papers {

enum class ClaimVerdict : std::uint8_t {
  proved,     // for all p, and tried besides
  checked,    // in all cases of the range
  imprecise,  // not to the letter, by a slip of wording
  refuted,    // there is a counterexample
  differs,    // measured by the text; otherwise in our model
  finding,    // of ours; no text says it; in all cases of the range
  unknown,    // nobody could tell
  unsettled,  // what we say in its place doesn't hold either: a bug here
};

std::string_view name(ClaimVerdict verdict);

/// What a verdict rests on, from the strongest on.
enum class ClaimLevel : std::uint8_t {
  kernel,  // Coq's kernel accepts the whole sentence, without axioms, when the files of --emit-coq are checked
  solver,  // Z3 discharges obligations, here and now; an argument in words joins them
  tried,   // the cases of a range, or a counterexample
};

std::string_view name(ClaimLevel level);

/// What Z3 discharged of a theorem.
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

/// What the verdict itself rests on.
ClaimLevel level_of(const Audited& audited);

/// Tries claims, several at a time, in the order given. Theorems are proved by Z3 here and now.
std::vector<Audited> audit(const std::vector<const Claim*>& claims);

/// For a person: the verdicts, paper by paper, and the counterexamples.
std::string audit_text(const std::vector<Audited>& audited);

/// The page docs/findings.md.
std::string audit_markdown(const std::vector<Audited>& audited);

/// The document of docs/schema/claims.schema.json.
std::string audit_json(const std::vector<Audited>& audited);

}  // namespace onceover::papers
