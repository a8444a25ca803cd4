// Proofs with a bound, for formulas that no family of peer_proof.h has: as bit-vectors, for one p.
#pragma once

#include "proofs/query.h"
#include "schedules/peer_schedule.h"

namespace onceover::proofs {

/// What is asked of a rule for one p.
enum class Bounded {
  uniqueness,  // no two sequences of the L steps lead from one rank to the same other one
  coverage,    // some sequence of the L steps leads from every rank to every other one
};

/// Asks Z3 whether it is so for the ranks that run a rule, for all of them and all 2^L sequences of its L steps at
/// once: the steps taken are the bits of a word, and a rank is a bit-vector. `unsatisfiable`: it is so. `satisfiable`:
/// it isn't, and the model holds the words, or the rank. Steps: at most 16.
Reply ask_bounded(const PeerTable& peers, Bounded question);

}  // namespace onceover::proofs
