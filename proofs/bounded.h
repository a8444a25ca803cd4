// Proofs with a bound, for formulas that no family of peer_proof.h has: as bit-vectors, for one p.
#pragma once

#include "proofs/query.h"
#include "schedules/peer_schedule.h"

namespace onceover {

/// What is asked of a rule for one p.
enum class Bounded {
  uniqueness,  // no two sequences of the L steps lead from one rank to the same other one
  coverage,    // some sequence of the L steps leads from every rank to every other one
};

/// Asks Z3 whether it is so for p ranks and ceil(log2 p) steps, for all ranks and all 2^L sequences at once: the steps
/// taken are the bits of a word, and a rank is a bit-vector. The formula must have a value at all ranks and steps.
/// `unsatisfiable`: it is so. `satisfiable`: it isn't, and the model holds the words, or the rank. Steps: at most 16.
Reply ask_bounded(const PeerRule& rule, Rank ranks, Bounded question);

}  // namespace onceover
