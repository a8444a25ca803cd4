// Proofs for a user's formula: the peer of rank r at step s, for every p.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "proofs/peer_family.h"
#include "proofs/theorem.h"
#include "schedules/peer_schedule.h"

namespace onceover::proofs {

/// A theorem made for one formula, or why there is none. The texts of the theorem live as long as this.
struct PeerProof {
  std::optional<PeerFamily> family;     // nothing: the formula is of none
  std::optional<Theorem> theorem;       // nothing: see problem
  std::string problem = {};             // which step of the argument failed, in a sentence
  std::string f = {};                   // with a theorem: f(s), as in PeerForm
  std::int64_t added = 0;               // in a reflection, the even number that is added to f(s)
  std::optional<PeerReach> reach = {};  // of a reflection or shift with a theorem: the ends of the interval
  std::deque<std::string> texts = {};   // what the theorem's views refer to

  PeerProof() = default;
  PeerProof(const PeerProof&) = delete;
  PeerProof& operator=(const PeerProof&) = delete;
};

/// Recognises the family (peer_family.h), finds from small s what the paths of the first s steps reach, as a formula in
/// s and 2^s (PeerReach), and writes down the obligations that prove it for all s and p. They are yet to be
/// discharged (see prove).
std::unique_ptr<PeerProof> prove_peers(const PeerRule& rule);

/// The theorem of coq/Families.v that goes from the obligations to schedules; of a proof whose family is known.
std::string_view family_theorem(const PeerProof& proof);

}  // namespace onceover::proofs
