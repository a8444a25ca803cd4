// What is found out about a formula for the peers: a proof for every p, or a p for which it is wrong.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proofs/peer_proof.h"
#include "proofs/query.h"
#include "schedules/peer_schedule.h"
#include "verifier/verify.h"

namespace onceover::subjects {

struct PeerAttempt {
  /// A number of ranks for which the formula's reduce-scatter is wrong.
  struct Wrong {
    Rank ranks;
    Report report;
  };

  Verdict verdict = Verdict::unknown;  // pass: proved for every p of the family
  std::unique_ptr<PeerProof> proof = {};
  std::string_view domain = {};          // "every p", "p = 2^a": the p that the verdict is about
  std::optional<Proof> discharged = {};  // of the proof's theorem, if it has one; refers to `proof`
  std::optional<Wrong> wrong = {};       // the smallest that was found
  std::string unfinished = {};           // why the search for it ended early
};

/// Asks the solvers for a proof. If there is none, the checker looks for a wrong p, up to 64. A few queries, then at
/// most some 0.1 s.
PeerAttempt attempt_peers(const PeerRule& rule, const std::vector<Solver>& solvers);

/// What the checker says about the formula's reduce-scatter for p ranks, if that is wrong.
std::optional<PeerAttempt::Wrong> find_wrong(const PeerRule& rule, Rank ranks);

}  // namespace onceover::subjects
