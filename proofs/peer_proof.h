// Proofs for a user's formula: the peer of rank r at step s, for every p.
#pragma once

#include <deque>
#include <memory>
#include <optional>

#include "proofs/theorem.h"
#include "schedules/peer_schedule.h"

namespace onceover::proofs {

/// The kinds of formulas that a proof is known for. f(s) is whatever doesn't depend on r and p.
enum class PeerFamily {
  reflection,    // even r: r + f(s), odd r: r - f(s); even p, and odd p with the last rank apart
  shift,         // r + f(s); every p
  exclusive_or,  // r xor f(s); p = 2^a
};

std::string_view name(PeerFamily family);

/// "every p", "p = 2^a": of those for which the formula has values in 64 bits.
std::string_view domain(PeerFamily family);

/// A theorem made for one formula, or why there is none. The texts of the theorem live as long as this.
struct PeerProof {
  std::optional<PeerFamily> family;    // nothing: the formula is of none
  std::optional<Theorem> theorem;      // nothing: see problem
  std::string problem = {};            // which step of the argument failed, in a sentence
  std::deque<std::string> texts = {};  // what the theorem's views refer to

  PeerProof() = default;
  PeerProof(const PeerProof&) = delete;
  PeerProof& operator=(const PeerProof&) = delete;
};

/// Recognises the family, finds from small s what the paths of the first s steps reach, as a formula in s and 2^s, and
/// writes down the obligations that prove it for all s and p. They are yet to be discharged (see prove.h); the theorem
/// uses covering-peers and time-reversal.
std::unique_ptr<PeerProof> prove_peers(const PeerRule& rule);

}  // namespace onceover::proofs
